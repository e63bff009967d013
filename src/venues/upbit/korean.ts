/** The sentences of the card of Upbit in Korean. */
export const KOREAN: Readonly<Record<string, string>> = {
  "12 orders a second an account": "계정마다 주문 초당 12회",
  "one cancel of all orders in 2 seconds an account": "계정마다 전체 취소 2초에 1회",
  "30 other calls a second an account": "계정마다 그 밖의 호출 초당 30회",
  "10 calls a second an address, of each kind of market data": "IP마다 시세 종류별로 초당 10회",
  "HTTP 418, for a time that grows": "HTTP 418, 되풀이하면 점점 길어짐",
  "How long a signed request is honoured is not documented, so that no order is found never proves that none will be.":
    "서명한 요청이 언제까지 유효한지 문서에 없습니다. 그래서 지금 주문이 없다고 해서 나중에도 없으리라는 보장은 없습니다.",
  "The name of the refusal of a repeated identifier is not documented: any refusal that speaks of the identifier counts as one.":
    "같은 identifier를 다시 썼을 때의 오류 이름이 문서에 없습니다. identifier를 언급하는 거절은 모두 그런 것으로 봅니다.",
  "How long ended orders can be looked up is not documented.": "끝난 주문을 언제까지 조회할 수 있는지 문서에 없습니다.",
  "The fee of a fill is its share by value of the order's fee, which alone is told.":
    "수수료는 주문 단위로만 알려 주므로, 체결마다의 수수료는 금액 비율로 나눈 값입니다.",
  "The form in which a shut-out says its time is not documented: where none is found, ten minutes are kept, and longer each time.":
    "차단이 얼마나 가는지 알리는 형식이 문서에 없습니다. 찾지 못하면 10분을 기다리고, 되풀이되면 더 오래 기다립니다.",
  "An order is assumed to be found within ten seconds.": "주문은 10초 안에 조회된다고 가정합니다.",
  "That the stream tells every change of the account is not documented: it only makes hoga look sooner.":
    "실시간 스트림이 계정의 모든 변화를 알려 준다는 말이 문서에 없습니다. hoga는 더 일찍 조회하는 데만 씁니다.",
  "Ticks below 100, the minimum of an order and the number of trades in one answer come from clients that cite the exchange.":
    "100원 미만의 호가 단위, 최소 주문 금액, 한 번에 받는 체결 수는 거래소를 인용한 다른 클라이언트에서 가져왔습니다.",
};
