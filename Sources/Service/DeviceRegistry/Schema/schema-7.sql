-- The journal by time. This file changes nothing yet.

SELECT 1;
