import LinkspanCore
import SimulatedDevices
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// Stories that once broke a promise, as short as they could be made.
@Suite struct ServiceStoryTests {
  private static func play(_ story: String) throws -> ServicePlay {
    let document = JSONParser.parse(Array("{service: {\(story)}}".utf8), dialect: .json5)
    #expect(document.errors.isEmpty, "\(document.errors.map(\.message))")
    return ServicePlay(try ServiceStory(document.root), ServicePlayTests.key)
  }

  private static let stories: [(name: String, story: String)] = [
    (
      "seed 1790: a client was not answered whose host was withdrawn while its files were checked",
      """
      seed: "1790", servers: 1, store: "sqlite", steps: [
        {do: "deploy", host: 2, version: 7, chance: "4955438253057043429"},
        {do: "upload", host: 2, version: 2, chance: "4355198108577772592"},
        {do: "deploy", host: 0, version: 1, chance: "9963391649031317479"},
        {do: "read", chance: "10656741155466498629"},
        {do: "upload", host: 2, version: 3, chance: "9425034918956018606"},
        {do: "undeploy", host: 2, chance: "16099079217791480791"},
        {do: "read", chance: "10918515335964341691"},
      ],
      """
    ),
    (
      "seed 119: a publication by the API was answered before its line was in the audit log",
      """
      seed: "119", servers: 1, store: "postgres", steps: [
        {do: "register", device: 4, person: 0, chance: "3284336049253820874"},
        {do: "upload", host: 0, version: 2, chance: "459867532410703287"},
        {do: "register", device: 1, person: 3, chance: "5860717582682317173"},
        {do: "power-cut", chance: "1921342496469800887"},
      ],
      """
    ),
    (
      "seed 29460: the checker did not know that an upload which is under way may be published after a rollback",
      """
      seed: "29460", servers: 2, store: "postgres", shares: true, steps: [
        {do: "deploy", host: 2, version: 4, chance: "5728244446073789152"},
        {do: "read", chance: "15240185703823414350"},
        {do: "upload", host: 2, version: 5, chance: "10992717602596458771"},
        {do: "read", chance: "9103938489929877182"},
        {do: "deploy", host: 0, version: 6, chance: "13267772410227860978"},
        {do: "upload", host: 2, version: 6, chance: "14170821982575551230"},
        {do: "rollback", host: 2, chance: "3639720264756165160"},
      ],
      """
    ),
    (
      "seed 702570: the checker took a message that the store did not answer for as one that lost its deliveries",
      """
      seed: "702570", servers: 1, store: "postgres", steps: [
        {do: "campaign", credential: 1, chance: "3947422089128762051"},
        {do: "notify", person: 2, credential: 1, chance: "765613116564595952"},
        {do: "campaign", credential: 0, chance: "2882589279983048727"},
        {do: "notify", person: 0, credential: 1, key: 2, chance: "17230678227986987505"},
        {do: "campaign", credential: 1, chance: "7281535337370210388"},
        {do: "register", device: 7, person: 3, chance: "3856587997587235145"},
        {do: "register", device: 6, person: 2, chance: "3729419806134702534"},
        {do: "notify", person: 0, credential: 0, chance: "11695291128946955125"},
        {do: "register", device: 0, person: 1, chance: "3718104626022441069"},
        {do: "database", state: "cutting", chance: "17118896640248625940"},
        {do: "power-cut", chance: "16355318271904305084"},
        {do: "register", device: 7, person: 2, chance: "1642789093951527483"},
        {do: "form", browser: 2, device: 1, chance: "2343023363084103002"},
        {do: "survey", credential: 1, chance: "2216136049122944512"},
        {do: "remove", host: 2, chance: "339317074927136431"},
        {do: "guess", browser: 0, user: 0, count: 3, chance: "7432768936394365511"},
        {do: "notify", person: 0, credential: 0, chance: "17577245385783207573"},
        {do: "notify", person: 2, credential: 1, chance: "781830807266882768"},
        {do: "login", browser: 0, user: 0, chance: "10969216777313976755"},
        {do: "pin", host: 2, chance: "18445043846822454081"},
        {do: "release", host: 0, chance: "3658870758494290491"},
        {do: "guess", browser: 0, user: 0, count: 12, chance: "11095774391769257207"},
        {do: "notify", person: 3, credential: 0, chance: "12148918707679215054"},
        {do: "notify", person: 3, credential: 1, key: 0, chance: "1725250335739119821"},
        {do: "wait", ms: 2000, chance: "12332907078376818450"},
        {do: "page", browser: 0, chance: "17928471274778550455"},
        {do: "database", state: "healthy", chance: "9637195088002136055"},
        {do: "notify", person: 2, credential: 0, key: 2, chance: "11362336100077771491"},
        {do: "database", state: "healthy", chance: "1158044865371364899"},
        {do: "notify", person: 2, credential: 0, chance: "762970350746720579"},
        {do: "notify", person: 1, credential: 1, chance: "12507365199761520034"},
        {do: "register", device: 5, person: 3, chance: "16952650663817318798"},
        {do: "notify", person: 0, credential: 0, chance: "2746612732289323427"},
        {do: "campaign", credential: 0, chance: "649446052165411029"},
        {do: "deploy", host: 0, version: 6, chance: "2242046013226878390"},
        {do: "survey", credential: 0, chance: "5494650143624993964"},
        {do: "notify", person: 0, credential: 1, key: 1, chance: "17958029875875679489"},
        {do: "look", device: 4, chance: "14551966813590746221"},
        {do: "survey", credential: 0, chance: "4948360085011869394"},
        {do: "register", device: 4, person: 0, chance: "11092292333256562185"},
        {do: "database", state: "full", chance: "11749018322614982409"},
        {do: "power-cut", chance: "11459465112307000982"},
        {do: "look", device: 3, chance: "16681011240012909674"},
        {do: "notify", person: 2, credential: 1, chance: "15749266367285874449"},
        {do: "deploy", host: 2, version: 4, chance: "6585394427485810491"},
        {do: "read", chance: "7579256064782932298"},
        {do: "look", device: 0, chance: "7177816506873712072"},
        {do: "register", device: 0, person: 2, chance: "1485638872572689676"},
        {do: "wait", ms: 5, chance: "10591673585013379352"},
        {do: "wait", ms: 90000000, chance: "6419807068401714660"},
        {do: "prune", chance: "12186622144087226774"},
      ],
      """
    ),
    (
      "seed 700799: nobody resumed a campaign that paused when it started at the end, since its audience had grown",
      """
      seed: "700799", servers: 2, store: "sqlite", steps: [
        {do: "campaign", credential: 0, chance: "2474602502007467157"},
        {do: "power-cut", chance: "2749531591880250101"},
        {do: "notify", person: 1, credential: 0, key: 1, chance: "7009632373961991704"},
        {do: "register", device: 3, person: 1, chance: "6203968027267382893"},
        {do: "campaign", credential: 1, chance: "4475020728330512086"},
        {do: "notify", person: 1, credential: 1, chance: "5760209989341284454"},
        {do: "apns", mood: "silent", chance: "9795914334161182677"},
        {do: "power-cut", chance: "14997489946762207812"},
        {do: "login", browser: 2, user: 0, chance: "243173985803658452"},
        {do: "campaign", credential: 1, chance: "16787795200407361786"},
        {do: "register", device: 2, person: 2, chance: "16595957687022416296"},
        {do: "campaign", credential: 0, chance: "6529932601184556257"},
        {do: "register", device: 0, person: 1, chance: "13929982089000329067"},
        {do: "wait", ms: 300, chance: "5810405830617550653"},
        {do: "clock", ms: -3600000, chance: "4757120176795707167"},
      ],
      """
    ),
    (
      "seed 509220: the checker did not know that a sender which can store nothing loses its lease to the other one",
      """
      seed: "509220", servers: 2, store: "sqlite", steps: [
        {do: "notify", person: 2, credential: 0, key: 1, chance: "8945661073145882250"},
        {do: "register", device: 4, person: 1, chance: "9141543663966576868"},
        {do: "notify", person: 1, credential: 1, chance: "5175748498370568943"},
        {do: "register", device: 2, person: 3, chance: "5326426820205753732"},
        {do: "apns", mood: "failing", chance: "16415213017657800464"},
        {do: "wait", ms: 30000, chance: "4718402337060643204"},
        {do: "notify", person: 1, credential: 1, key: 0, chance: "10849718758473383113"},
        {do: "register", device: 1, person: 3, chance: "16065854180637334491"},
        {do: "notify", person: 3, credential: 1, chance: "6353212763546527577"},
        {do: "read", chance: "2522534435561111368"},
        {do: "resume", chance: "5633014829561449275"},
        {do: "deploy", host: 2, version: 4, chance: "6470714452857849850"},
        {do: "register", device: 3, person: 2, chance: "8682714267257262727"},
        {do: "register", device: 0, person: 3, chance: "1970048170173806891"},
        {do: "deploy", host: 0, version: 7, chance: "5872851277829444290"},
        {do: "wait", ms: 1200000, chance: "13096582492834123950"},
        {do: "read", chance: "14896264623756897770"},
        {do: "register", device: 1, person: 0, chance: "465418484730923017"},
        {do: "wait", ms: 5, chance: "12373790814304834582"},
        {do: "erase", person: 0, chance: "7660330661817945142"},
        {do: "disk", state: "healthy", chance: "2968641396553014275"},
        {do: "upload", host: 2, version: 0, chance: "7922084598227189265"},
        {do: "register", device: 7, person: 1, chance: "12183012033855038739"},
        {do: "restart", chance: "16084352198641449436"},
        {do: "register", device: 5, person: 1, chance: "4553208075165910202"},
        {do: "apns", mood: "healthy", chance: "14742265179098673544"},
        {do: "wait", ms: 5, chance: "15401191294900767970"},
        {do: "pin", host: 1, chance: "4340147131612584132"},
        {do: "register", device: 3, person: 0, chance: "876271599860712432"},
        {do: "notify", person: 3, credential: 0, chance: "2823517518997349213"},
        {do: "notify", person: 0, credential: 1, key: 2, chance: "8442813298714539755"},
        {do: "register", device: 0, person: 2, chance: "15435231748163290266"},
        {do: "register", device: 7, person: 0, chance: "15582239022621119671"},
        {do: "register", device: 7, person: 2, chance: "10963231908812667685"},
        {do: "register", device: 2, person: 2, chance: "13666543399743589238"},
        {do: "deploy", host: 1, version: 5, chance: "12776290513563149192"},
        {do: "notify", person: 2, credential: 0, chance: "14933979821805863175"},
        {do: "look", device: 2, chance: "5546491625545095452"},
        {do: "rollback", host: 0, chance: "13130161025822059865"},
        {do: "register", device: 0, person: 2, chance: "12442806735596437227"},
        {do: "read", chance: "7549467786433859128"},
        {do: "disk", state: "failing-writes", chance: "13543864976839354471"},
        {do: "register", device: 7, person: 3, chance: "15313614104059069406"},
        {do: "register", device: 1, person: 3, chance: "6159984822296427699"},
        {do: "notify", person: 3, credential: 0, chance: "1184214153732369234"},
        {do: "campaign", credential: 1, chance: "3938418652190537455"},
        {do: "apns", mood: "healthy", chance: "4607576361040994706"},
        {do: "deploy", host: 1, version: 5, chance: "4793541171635130537"},
        {do: "campaign", credential: 0, chance: "8317306259475092631"},
        {do: "apns", mood: "too-many", chance: "1624731942613169881"},
        {do: "register", device: 0, person: 0, chance: "8528942317039404371"},
        {do: "register", device: 7, person: 2, chance: "666398205341966774"},
        {do: "register", device: 5, person: 1, chance: "15328307965250401013"},
        {do: "look", device: 7, chance: "225656542276697104"},
        {do: "power-cut", chance: "2802550882475002746"},
        {do: "read", chance: "6366736199256449028"},
        {do: "notify", person: 3, credential: 1, chance: "13707294566324297380"},
        {do: "register", device: 4, person: 0, chance: "7700142108162913343"},
        {do: "register", device: 3, person: 3, chance: "13015704753155642679"},
        {do: "undeploy", host: 2, chance: "17452376419829694141"},
        {do: "register", device: 2, person: 0, chance: "1664609363253216793"},
        {do: "register", device: 7, person: 0, chance: "1793950548742568479"},
        {do: "read", chance: "9824401772515664882"},
        {do: "register", device: 2, person: 1, chance: "4355760958394742683"},
        {do: "notify", person: 0, credential: 1, key: 2, chance: "8862792052946526534"},
        {do: "register", device: 2, person: 3, chance: "9901747324678752303"},
        {do: "restart", chance: "10982549529892013921"},
        {do: "notify", person: 2, credential: 0, key: 1, chance: "636773001376768552"},
        {do: "deploy", host: 2, version: 0, chance: "2153353957693330594"},
        {do: "power-cut", chance: "3889515579390014603"},
        {do: "notify", person: 1, credential: 1, key: 2, chance: "4758351095802707417"},
        {do: "register", device: 5, person: 3, chance: "11000283003320001677"},
        {do: "register", device: 3, person: 1, chance: "14473935619495042303"},
        {do: "notify", person: 0, credential: 0, key: 1, chance: "8217803497772321768"},
        {do: "wait", ms: 5, chance: "15726189822389947011"},
        {do: "register", device: 0, person: 1, chance: "6603201969829816069"},
        {do: "register", device: 0, person: 1, chance: "10201928514377113967"},
        {do: "register", device: 7, person: 2, chance: "15041658355656907480"},
        {do: "wait", ms: 30000, chance: "8281040968515221678"},
      ],
      """
    ),
    (
      "seed 509135: the checker did not know that a host may be taken away whose folder is back at the kill",
      """
      seed: "509135", servers: 1, store: "sqlite", steps: [
        {do: "deploy", host: 2, version: 0, chance: "11168353784794309747"},
        {do: "deploy", host: 0, version: 3, chance: "5969614563589176489"},
        {do: "read", chance: "6615333439642764023"},
        {do: "undeploy", host: 0, chance: "10862918237071180418"},
        {do: "wait", ms: 2000, chance: "3610149196653393139"},
        {do: "upload", host: 0, version: 6, chance: "7558393515935194834"},
        {do: "undeploy", host: 2, chance: "16494420089290612660"},
        {do: "deploy", host: 1, version: 0, chance: "13967792019443285363"},
        {do: "power-cut", chance: "4429983725431291938"},
        {do: "deploy", host: 2, version: 4, chance: "10606311681596987359"},
      ],
      """
    ),
    (
      "seed 508589: a session outlived a password that was set in the millisecond of the one before",
      """
      seed: "508589", servers: 1, store: "sqlite", steps: [
        {do: "login", browser: 1, user: 1, chance: "6965615539661498455"},
        {do: "password", user: 1, chance: "7154735957350902936"},
        {do: "login", browser: 1, user: 0, chance: "7533739313536810481"},
      ],
      """
    ),
    (
      "seed 504646: a draft of before a rollback was served after a start, since the clock had been set back",
      """
      seed: "504646", servers: 1, store: "postgres", steps: [
        {do: "deploy", host: 0, version: 5, chance: "14082200569017944427"},
        {do: "kill", chance: "3812801424462009270"},
        {do: "upload", host: 0, version: 6, chance: "8686357729373068034"},
        {do: "register", device: 7, person: 3, chance: "7247757519992439255"},
        {do: "pin", host: 0, chance: "5917469843332093944"},
        {do: "upload", host: 0, version: 2, chance: "18107281886354922386"},
        {do: "clock", ms: -3600000, chance: "2522148629259968518"},
        {do: "rollback", host: 0, chance: "16482395767878864441"},
        {do: "restart", chance: "12043072409447768350"},
      ],
      """
    ),
    (
      "seed 20637: an upload was refused for the mark of its change, and was there after a rollback and a start",
      """
      seed: "20637", servers: 2, steps: [
        {do: "wait", ms: 300, chance: "2923458961900895611"},
        {do: "deploy", host: 2, version: 2, chance: "177527234827999268"},
        {do: "rollback", host: 2, chance: "16491059251054027319"},
        {do: "wait", ms: 300, chance: "1589383120219069067"},
        {do: "notify", person: 1, credential: 0, chance: "1479947115762714463"},
        {do: "notify", person: 3, credential: 1, chance: "17677688829804222239"},
        {do: "read", chance: "8531100476393471887"},
        {do: "disk", state: "failing-writes", chance: "12798143727343417907"},
        {do: "intrude", chance: "17263751217354301599"},
        {do: "upload", host: 1, version: 7, chance: "9982497289251619158"},
        {do: "register", device: 1, person: 1, chance: "3975282851793901431"},
        {do: "register", device: 0, person: 3, chance: "720739818647806824"},
        {do: "deploy", host: 1, version: 4, chance: "16333197707157794052"},
        {do: "notify", person: 0, credential: 1, chance: "4177193755982027780"},
        {do: "resume", chance: "7636834798171071241"},
        {do: "wait", ms: 50, chance: "13953367503133200292"},
        {do: "register", device: 2, person: 2, chance: "15466392289861577360"},
        {do: "register", device: 7, person: 0, chance: "3451490481460819908"},
        {do: "register", device: 4, person: 0, chance: "2383265417854048382"},
        {do: "erase", person: 1, chance: "12737351606018398992"},
        {do: "read", chance: "3729611851867007265"},
        {do: "notify", person: 2, credential: 0, chance: "783164140732425202"},
        {do: "erase", person: 3, chance: "16340129282701241113"},
        {do: "notify", person: 0, credential: 1, chance: "12795331357983759775"},
        {do: "register", device: 7, person: 3, chance: "16278783806783933890"},
        {do: "register", device: 5, person: 0, chance: "13775586630499534238"},
        {do: "notify", person: 0, credential: 1, key: 2, chance: "15586239822225776050"},
        {do: "register", device: 3, person: 2, chance: "11099842730968331146"},
        {do: "notify", person: 2, credential: 0, chance: "4934061839064421927"},
        {do: "notify", person: 3, credential: 0, chance: "9092691439810295669"},
        {do: "upload", host: 2, version: 0, chance: "14261318253584239183"},
        {do: "register", device: 3, person: 1, chance: "1823069110871777047"},
        {do: "register", device: 4, person: 0, chance: "4413828928973419754"},
        {do: "wait", ms: 30000, chance: "758556499286350785"},
        {do: "register", device: 6, person: 2, chance: "8218930446228807109"},
        {do: "cancel", chance: "11326393540154738195"},
        {do: "kill", chance: "13714760222530520901"},
        {do: "upload", host: 1, version: 2, chance: "11410670036593060892"},
        {do: "wait", ms: 300, chance: "10010780026053271694"},
        {do: "clock", ms: -20000, chance: "11332969348820325826"},
        {do: "disk", state: "healthy", chance: "15130302096006534852"},
        {do: "rollback", host: 1, chance: "1132570954363049457"},
        {do: "kill", chance: "8482930988578305978"}]
      """
    ),
    (
      "seed 20331: the second of two erasures answered before a push had gone out that the first waited for",
      """
      seed: "20331", servers: 1, steps: [
        {do: "power-cut", chance: "11283618427688049750"},
        {do: "register", device: 7, person: 0, chance: "2086411380418110968"},
        {do: "campaign", credential: 1, chance: "10130859131694267476"},
        {do: "campaign", credential: 0, chance: "9843384683901414458"},
        {do: "register", device: 5, person: 1, chance: "6875183759957069391"},
        {do: "register", device: 4, person: 1, chance: "11714929773126241149"},
        {do: "read", chance: "16251488060998081475"},
        {do: "register", device: 3, person: 1, chance: "8610511952466443222"},
        {do: "erase", person: 3, chance: "6173454456640109633"},
        {do: "look", device: 2, chance: "402413734750900900"},
        {do: "register", device: 7, person: 2, chance: "3573221773990492382"},
        {do: "register", device: 6, person: 2, chance: "13831344666561485984"},
        {do: "kill", chance: "8163963589914188671"},
        {do: "campaign", credential: 1, chance: "8657180257865728126"},
        {do: "register", device: 0, person: 3, chance: "14697932728627326209"},
        {do: "campaign", credential: 1, chance: "14194309058905589516"},
        {do: "notify", person: 2, credential: 0, chance: "9198068077672740650"},
        {do: "erase", person: 2, chance: "8537660768437037356"},
        {do: "erase", person: 2, chance: "17801036584089249225"}]
      """
    ),
    (
      "seed 3007: an upload that another one replaced was served after a start",
      """
      seed: "3007", servers: 2, steps: [
        {do: "upload", host: 0, version: 4, chance: "2217577698241264023"},
        {do: "upload", host: 0, version: 3, chance: "2703497588443679085"},
        {do: "wait", ms: 2000, chance: "4517684924886696149"},
        {do: "restart", chance: "4733666513837593338"}]
      """
    ),
    (
      "seed 5026: the same",
      """
      seed: "5026", servers: 2, steps: [
        {do: "upload", host: 2, version: 4, chance: "731894841675638128"},
        {do: "upload", host: 2, version: 7, chance: "18173816443408030394"},
        {do: "intrude", chance: "5406527766527405465"},
        {do: "restart", chance: "4499357009530406399"}]
      """
    ),
    (
      "seed 2028: a draft that is sent again after a start ended a deployment",
      """
      seed: "2028", servers: 1, steps: [
        {do: "deploy", host: 1, version: 5, chance: "11982474980818179827"},
        {do: "read", chance: "1604442838597637450"},
        {do: "wait", ms: 300, chance: "14377066924584551062"},
        {do: "upload", host: 1, version: 3, chance: "16648805448939453246"},
        {do: "register", device: 4, person: 3, chance: "11190616574280442428"},
        {do: "deploy", host: 1, version: 0, chance: "12833983618481865195"},
        {do: "kill", chance: "3988432252587575613"}]
      """
    ),
    (
      "seed 86: a sender whose lease had ended did not hear of a Retry-After",
      """
      seed: "86", servers: 1, steps: [
        {do: "apns", mood: "too-many", chance: "8208545283144044159"},
        {do: "register", device: 4, person: 1, chance: "11755331843707606070"},
        {do: "notify", person: 1, credential: 0, key: 0, chance: "10882306275578606483"},
        {do: "wait", ms: 1200000, chance: "17831697910946249222"},
        {do: "register", device: 0, person: 1, chance: "5905104957592304826"},
        {do: "notify", person: 1, credential: 0, chance: "16463588604345248854"},
        {do: "campaign", credential: 0, chance: "15401436867897166577"},
        {do: "register", device: 4, person: 0, chance: "5497200371771018595"}]
      """
    ),
    (
      "seed 6004: the same",
      """
      seed: "6004", servers: 1, steps: [
        {do: "apns", mood: "too-many", chance: "3283191136625312711"},
        {do: "register", device: 0, person: 0, chance: "6043916402556759211"},
        {do: "resume", chance: "9058123948390262509"},
        {do: "register", device: 2, person: 2, chance: "6475385683407073442"},
        {do: "campaign", credential: 1, chance: "1198457372634331078"},
        {do: "upload", host: 2, version: 7, chance: "16644144764048446518"},
        {do: "notify", person: 2, credential: 1, chance: "11723382962795615412"}]
      """
    ),
    (
      "seed 548: a sender lost its lease while nothing turned for a minute",
      """
      seed: "548", servers: 2, steps: [
        {do: "notify", person: 3, credential: 1, key: 1, chance: "4895282268168745740"},
        {do: "apns", mood: "too-many", chance: "12803016948903499599"},
        {do: "register", device: 5, person: 2, chance: "12813469166277687161"},
        {do: "uninstall", device: 2, chance: "7759393166110152301"},
        {do: "rollback", host: 1, chance: "5454881427280938962"},
        {do: "register", device: 2, person: 2, chance: "1781441747461425034"},
        {do: "deploy", host: 0, version: 3, chance: "6954189279147903391"},
        {do: "register", device: 3, person: 1, chance: "13434389130382185900"},
        {do: "disk", state: "healthy", chance: "11688172786168397900"},
        {do: "kill", chance: "3182232243159265466"},
        {do: "campaign", credential: 1, chance: "13848402578471709141"},
        {do: "deploy", host: 0, version: 7, chance: "6100404148622669139"},
        {do: "notify", person: 1, credential: 1, key: 0, chance: "5102727383468932850"},
        {do: "upload", host: 1, version: 3, chance: "5989958508252101404"}]
      """
    ),
    (
      "seed 5669: a withdrawal whose fsync failed came back with the next power cut",
      """
      seed: "5669", servers: 1, steps: [
        {do: "deploy", host: 2, version: 4, chance: "10810029511362120555"},
        {do: "register", device: 5, person: 2, chance: "6983597075364022902"},
        {do: "wait", ms: 5, chance: "10357290504193542384"},
        {do: "power-cut", chance: "14387008478493120905"},
        {do: "wait", ms: 1200000, chance: "11568244467891656599"},
        {do: "notify", person: 2, credential: 0, chance: "7750838411654079883"},
        {do: "deploy", host: 0, version: 5, chance: "5264551106070697952"},
        {do: "disk", state: "failing-syncs", chance: "4979652961705995817"},
        {do: "undeploy", host: 2, chance: "3169789831693913863"},
        {do: "register", device: 2, person: 3, chance: "12497418454658079933"},
        {do: "look", device: 4, chance: "3012397807985143228"},
        {do: "notify", person: 0, credential: 1, key: 2, chance: "4094789267518668435"},
        {do: "restart", chance: "16552006644274280639"},
        {do: "restart", chance: "5938727919218905191"},
        {do: "power-cut", chance: "16233284835700510367"}]
      """
    ),
    (
      "seed 664: a server died while it withdrew a host, and was killed before anybody noticed",
      """
      seed: "664", servers: 1, steps: [
        {do: "upload", host: 0, version: 0, chance: "11832899160186538895"},
        {do: "deploy", host: 2, version: 6, chance: "12421206420360467979"},
        {do: "register", device: 3, person: 0, chance: "456196700009483103"},
        {do: "kill", chance: "11583305715537982848"},
        {do: "undeploy", host: 2, chance: "14085702150136143855"},
        {do: "wait", ms: 2000, chance: "16803380581861809091"},
        {do: "deploy", host: 0, version: 0, chance: "5027932750255436950"},
        {do: "kill", chance: "15852113429661814106"},
        {do: "kill", chance: "6484771604787276297"}]
      """
    ),
    (
      "seed 1585: an erasure whose fsync failed was found by a start",
      """
      seed: "1585", servers: 1, steps: [
        {do: "disk", state: "failing-syncs", chance: "16077071454084682529"},
        {do: "erase", person: 1, chance: "7318115312634475989"},
        {do: "erase", person: 3, chance: "17051322329722268487"},
        {do: "erase", person: 3, chance: "11403157750081915664"},
        {do: "upload", host: 0, version: 4, chance: "10729232449693071051"},
        {do: "read", chance: "4435099923626117835"},
        {do: "look", device: 4, chance: "6930493896650880221"},
        {do: "register", device: 2, person: 3, chance: "190943286981557995"},
        {do: "erase", person: 3, chance: "17770854204330876627"},
        {do: "register", device: 7, person: 0, chance: "3922962466864440311"},
        {do: "prune", chance: "17751334285853505818"},
        {do: "register", device: 6, person: 3, chance: "2644733664399573295"},
        {do: "pin", host: 1, chance: "8853719745092608720"},
        {do: "notify", person: 1, credential: 0, chance: "3505389906470850784"},
        {do: "notify", person: 3, credential: 0, chance: "10844269717676862474"},
        {do: "erase", person: 2, chance: "6638723603055230271"},
        {do: "intrude", chance: "9152118491040582283"},
        {do: "disk", state: "healthy", chance: "14022299011802633201"},
        {do: "register", device: 7, person: 2, chance: "7031797331846657225"},
        {do: "kill", chance: "9560040819060398528"},
        {do: "campaign", credential: 0, chance: "6567902012943408675"},
        {do: "campaign", credential: 1, chance: "8963685438094468907"},
        {do: "disk", state: "failing-syncs", chance: "874447910258309056"},
        {do: "upload", host: 1, version: 3, chance: "10232048912274992015"},
        {do: "notify", person: 2, credential: 0, chance: "7221839914497866955"},
        {do: "wait", ms: 50, chance: "231564595857657993"},
        {do: "notify", person: 2, credential: 0, key: 0, chance: "9936745873205026168"},
        {do: "register", device: 5, person: 3, chance: "15991784728410438950"},
        {do: "notify", person: 3, credential: 1, chance: "2949952563460763609"},
        {do: "wait", ms: 2000, chance: "9746903873773278734"},
        {do: "wait", ms: 1200000, chance: "8203681755775221798"},
        {do: "notify", person: 0, credential: 1, key: 2, chance: "8781549989278309195"},
        {do: "notify", person: 1, credential: 0, chance: "1893508987513741218"},
        {do: "read", chance: "14149920024972502210"},
        {do: "erase", person: 3, chance: "230845445274097252"},
        {do: "look", device: 5, chance: "17168717534037522468"},
        {do: "kill", chance: "10881668688498862079"}]
      """
    ),
    (
      "seed 1668: a registration whose fsync failed was not there, and was found by a start",
      """
      seed: "1668", servers: 1, steps: [
        {do: "burst", credential: 0, count: 29, chance: "3736039010831797057"},
        {do: "register", device: 7, person: 0, chance: "12277863211570806470"},
        {do: "disk", state: "failing-syncs", chance: "12235604113629986597"},
        {do: "register", device: 0, person: 0, chance: "6954822306046186433"},
        {do: "restart", chance: "15970711937547220041"},
        {do: "register", device: 5, person: 0, chance: "7255978400334192505"},
        {do: "register", device: 4, person: 1, chance: "12912712276788202829"},
        {do: "deploy", host: 0, version: 6, chance: "11460461374405067438"},
        {do: "deploy", host: 1, version: 0, chance: "7474026577579957519"},
        {do: "wait", ms: 50, chance: "11359082493903923064"},
        {do: "notify", person: 0, credential: 0, key: 2, chance: "6691117105327382955"}]
      """
    ),
    (
      "seed 7193: a refused registration named a person whose erasure waited for its receipt",
      """
      seed: "7193", servers: 1, steps: [
        {do: "register", device: 5, person: 1, chance: "325516707781921488"},
        {do: "notify", person: 2, credential: 1, key: 2, chance: "13140579534596719034"},
        {do: "register", device: 3, person: 3, chance: "16240471054088125314"},
        {do: "register", device: 7, person: 3, chance: "2463523249987512441"},
        {do: "register", device: 7, person: 3, chance: "7898081939526521497"},
        {do: "register", device: 6, person: 0, chance: "8836075374513180314"},
        {do: "campaign", credential: 1, chance: "10999371997073335693"},
        {do: "register", device: 4, person: 1, chance: "12449403503726595828"},
        {do: "erase", person: 1, chance: "13341717429052684072"},
        {do: "delete", device: 7, chance: "13998693950601314830"},
        {do: "register", device: 1, person: 3, chance: "4167109254326753155"},
        {do: "disk", state: "failing-writes", chance: "15098270829467018597"},
        {do: "register", device: 6, person: 1, chance: "4023834594378484517"}]
      """
    ),
    (
      "seed 2822: a sender that had lost its lease heard an answer that was meant for the one before",
      """
      seed: "2822", servers: 1, steps: [
        {do: "campaign", credential: 1, chance: "7257939961870348288"},
        {do: "delete", device: 5, chance: "7010668081638381983"},
        {do: "register", device: 1, person: 0, chance: "17289655740239124558"},
        {do: "campaign", credential: 0, chance: "18421849983780884087"},
        {do: "apns", mood: "slow", chance: "1612554602086486427"},
        {do: "uninstall", device: 1, chance: "18232029085751370007"},
        {do: "clock", ms: -500, chance: "17628696442058213345"},
        {do: "read", chance: "482784906099637179"},
        {do: "register", device: 7, person: 2, chance: "18244105209695420581"},
        {do: "register", device: 6, person: 3, chance: "462235234127909289"},
        {do: "campaign", credential: 0, chance: "4358274955958117518"},
        {do: "clock", ms: 3600000, chance: "8140268488563993176"},
        {do: "erase", person: 3, chance: "4573089263866757618"},
        {do: "notify", person: 2, credential: 1, chance: "2936750938953353927"}]
      """
    ),
    (
      "seed 65741: files that a client sent again were told as an outcome of the folder, whose check went on",
      """
      seed: "65741", servers: 1, store: "sqlite", steps: [
        {do: "upload", host: 1, version: 1, chance: "11032474169426202416"},
        {do: "deploy", host: 1, version: 2, chance: "11466916472580743013"},
        {do: "wait", ms: 300, chance: "8604063650061518753"},
        {do: "power-cut", chance: "13325143276378525095"},
        {do: "register", device: 0, person: 0, chance: "8466222701463622011"},
        {do: "upload", host: 1, version: 1, chance: "8261989488850186241"},
        {do: "notify", person: 2, credential: 0, key: 1, chance: "13785810855047303721"}]
      """
    ),
    (
      "seed 92499: a stand-in whose clock was set back refused new tokens until it had caught up, and no sync came through",
      """
      seed: "92499", servers: 1, store: "sqlite", steps: [
        {do: "uninstall", device: 1, chance: "16525748720956878972"},
        {do: "channel", act: "create", credential: 0, key: 1, chance: "6275209263779450076"},
        {do: "channel", act: "delete", credential: 0, chance: "12657357312339406557"},
        {do: "power-cut", chance: "15824573607200506738"},
        {do: "notify", person: 2, credential: 1, key: 0, chance: "12536094398244108492"},
        {do: "channel", act: "create", credential: 0, chance: "1207239470129978610"},
        {do: "remove", host: 0, chance: "15437101683458025633"},
        {do: "clock", ms: -3600000, chance: "10131100311351850270"},
        {do: "clock", ms: -3600000, chance: "13533665526534408148"}]
      """
    ),
  ]

  @Test(arguments: stories.map(\.name)) func aStoryOfAMendedDefectHolds(_ name: String) throws {
    let story = try #require(Self.stories.first { $0.name == name }?.story)
    let play = try Self.play(story)
    #expect(play.violation == nil, "\(play.violation?.detail ?? "")")
    #expect(play.events.count > 10)
  }

  /// A sender that waited until the clock had caught up sent nothing for an hour.
  @Test func aClockThatIsSetBackHoldsUpNoPush() throws {
    let play = try Self.play(
      """
      seed: "1", servers: 1, steps: [
        {do: "register", device: 0, person: 0, chance: "1"},
        {do: "wait", ms: 2000, chance: "2"},
        {do: "clock", ms: -3600000, chance: "3"},
        {do: "notify", person: 0, credential: 0, chance: "4"},
        {do: "wait", ms: 2000, chance: "5"}]
      """)
    #expect(play.violation == nil)
    let accepted = try #require(play.events.first { $0.party == "apns" && $0.kind == "accept" })
    #expect(accepted.time < .seconds(10))
  }
}
