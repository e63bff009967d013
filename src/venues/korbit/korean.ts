/** The sentences of the card of Korbit in Korean. */
export const KOREAN: Readonly<Record<string, string>> = {
  "30 orders a second an account": "계정마다 주문 초당 30회",
  "30 cancels a second an account": "계정마다 취소 초당 30회",
  "50 other calls a second an account": "계정마다 그 밖의 호출 초당 50회",
  "50 calls a second an address, of market data": "IP마다 시세 초당 50회",
  "That the stream tells every change of the account is not documented: it only makes hoga look sooner.":
    "실시간 스트림이 계정의 모든 변화를 알려 준다는 말이 문서에 없습니다. hoga는 더 일찍 조회하는 데만 씁니다.",
  "The time of a request is checked before anything else, and how long it may wait after that is not documented: that no order is found never proves that none will be.":
    "요청 시각은 맨 먼저 검사하지만, 그 뒤에 얼마나 대기할 수 있는지 문서에 없습니다. 지금 주문이 없다고 해서 나중에도 없으리라는 보장은 없습니다.",
  "The answer to a look-up of an order that is not there is documented for a cancel alone; its HTTP status is not.":
    "없는 주문을 조회했을 때의 응답은 취소에 대해서만 문서에 있고, HTTP 상태 코드는 없습니다.",
  "A repeated id is refused while an order has it, and for about three days after one that ended without a trade; for how long after others is not documented.":
    "같은 식별자는 그 주문이 있는 동안, 그리고 체결 없이 끝난 뒤 사흘쯤 거절됩니다. 그 밖의 주문 뒤에는 얼마나 그런지 문서에 없습니다.",
  "Open orders are listed by market alone. All of them are found by the balances in use; where those do not explain it, every market is asked, and a list that was not read to its end is an error that says how far it came.":
    "미체결 주문은 마켓별로만 조회됩니다. 전체는 주문에 묶인 잔고로 찾고, 설명되지 않으면 모든 마켓을 조회합니다. 끝까지 읽지 못하면 어디까지 보았는지 오류로 알려 드립니다.",
  "An order that is taken and still pending is in no list, only by its id.":
    "접수되어 대기 중인 주문은 어느 목록에도 없고 주문 번호로만 조회됩니다.",
  "Orders and fills older than 36 hours cannot be had: hoga knows of them what it has read before.":
    "36시간이 지난 주문과 체결은 조회할 수 없습니다. hoga는 그 전에 읽어 둔 것만 압니다.",
  "What an order that ended before its whole size ends as: the exchange calls it filled, and hoga, by its quantity, canceled.":
    "수량이 다 차지 않고 끝난 주문을 거래소는 체결(filled)이라고 하고, hoga는 수량을 보고 취소로 봅니다.",
  "The step of a quantity is not documented: eight decimals are assumed.":
    "수량의 최소 단위가 문서에 없어 소수 여덟 자리로 가정합니다.",
  "Whether the keys of the former address api.korbit.co.kr go on working there is not documented; the address of the documents is used.":
    "예전 주소 api.korbit.co.kr의 키를 계속 쓸 수 있는지 문서에 없습니다. 문서에 있는 주소를 씁니다.",
  "Orders are told of in the markets that there are when a connection is opened: of a newer one hoga hears by asking.":
    "스트림은 연결할 때 있던 마켓의 주문만 알려 줍니다. 그 뒤에 생긴 마켓은 hoga가 직접 조회해서 압니다.",
};
