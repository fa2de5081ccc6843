#include "linkspan_nghttp2.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(nghttp2_http2_strerror) F(nghttp2_is_fatal) F(nghttp2_option_del) F(nghttp2_option_new) \
  F(nghttp2_option_set_max_continuations) F(nghttp2_option_set_max_outbound_ack) \
  F(nghttp2_option_set_max_send_header_block_length) F(nghttp2_option_set_max_settings) \
  F(nghttp2_option_set_no_auto_window_update) F(nghttp2_option_set_no_closed_streams) \
  F(nghttp2_option_set_peer_max_concurrent_streams) F(nghttp2_option_set_stream_reset_rate_limit) \
  F(nghttp2_session_callbacks_del) F(nghttp2_session_callbacks_new) \
  F(nghttp2_session_callbacks_set_on_begin_frame_callback) \
  F(nghttp2_session_callbacks_set_on_begin_headers_callback) \
  F(nghttp2_session_callbacks_set_on_data_chunk_recv_callback) \
  F(nghttp2_session_callbacks_set_on_frame_recv_callback) F(nghttp2_session_callbacks_set_on_frame_send_callback) \
  F(nghttp2_session_callbacks_set_on_header_callback) F(nghttp2_session_callbacks_set_on_invalid_header_callback) \
  F(nghttp2_session_callbacks_set_on_stream_close_callback) F(nghttp2_session_client_new3) \
  F(nghttp2_session_consume) F(nghttp2_session_consume_connection) F(nghttp2_session_consume_stream) \
  F(nghttp2_session_del) F(nghttp2_session_get_last_proc_stream_id) F(nghttp2_session_get_remote_settings) \
  F(nghttp2_session_mem_recv) F(nghttp2_session_mem_send) F(nghttp2_session_resume_data) \
  F(nghttp2_session_server_new3) F(nghttp2_session_set_local_window_size) F(nghttp2_session_terminate_session) \
  F(nghttp2_session_want_read) F(nghttp2_session_want_write) F(nghttp2_strerror) F(nghttp2_submit_goaway) \
  F(nghttp2_submit_headers) F(nghttp2_submit_ping) F(nghttp2_submit_request) F(nghttp2_submit_response) \
  F(nghttp2_submit_rst_stream) F(nghttp2_submit_settings) F(nghttp2_submit_shutdown_notice)

LINKSPAN_LIBRARY("libnghttp2.so.14", "libnghttp2-14", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)
