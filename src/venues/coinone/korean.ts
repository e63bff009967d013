/** The sentences of the card of Coinone in Korean. */
export const KOREAN: Readonly<Record<string, string>> = {
  "40 orders and cancels a second a portfolio": "포트폴리오마다 주문과 취소 초당 40회",
  "80 other private calls a second a portfolio": "포트폴리오마다 그 밖의 비공개 호출 초당 80회",
  "1200 calls of market data a minute an address": "IP마다 시세 분당 1200회",
  "How long a signed request is honoured is not documented, so that no order is found never proves that none will be.":
    "서명한 요청이 언제까지 유효한지 문서에 없습니다. 그래서 지금 주문이 없다고 해서 나중에도 없으리라는 보장은 없습니다.",
  "What is to be sold at once at a limit (IOC) goes as a market order with a lowest price: that it holds stands in the documents alone.":
    "지정가 IOC 매도는 최저가를 붙인 시장가 매도로 냅니다. 그 가격 아래로 팔리지 않는다는 근거는 문서뿐입니다.",
  "An order is assumed to be found within ten seconds.": "주문은 10초 안에 조회된다고 가정합니다.",
  "That the stream tells every change of the account is not documented: it only makes hoga look sooner.":
    "실시간 스트림이 계정의 모든 변화를 알려 준다는 말이 문서에 없습니다. hoga는 더 일찍 조회하는 데만 씁니다.",
  "How long ended orders can be looked up is not documented: an order that it has answered with an id and does not find any more is not taken for absent.":
    "끝난 주문을 언제까지 조회할 수 있는지 문서에 없습니다. 주문 번호를 받은 주문이 더는 조회되지 않아도 없는 것으로 보지 않습니다.",
  "No list has orders that ended without a fill: closed orders are those with fills, and the others are found by their id alone.":
    "체결 없이 끝난 주문은 어느 목록에도 없습니다. 끝난 주문 목록에는 체결이 있는 것만 나오고, 나머지는 주문 번호로만 조회됩니다.",
  "Whether a refused order uses up its id is not documented: it is taken as used.":
    "거절된 주문의 식별자를 다시 쓸 수 있는지 문서에 없어, 쓴 것으로 봅니다.",
  "Whether an order in part canceled has ended is not documented: it has where nothing of it is left.":
    "일부 취소된 주문이 끝난 것인지 문서에 없습니다. 남은 수량이 없으면 끝난 것으로 봅니다.",
  "What has executed of an order is worth, where that is not told, its average price times its volume.":
    "체결 금액을 알려 주지 않으면 평균가에 수량을 곱한 값으로 봅니다.",
  "Which side took a public trade is read as the stream's documents and one recording say; the documents of the call can be read the other way.":
    "공개 체결이 매수와 매도 가운데 어느 쪽인지는 스트림 문서와 기록 하나를 따릅니다. 호출 문서는 반대로도 읽힙니다.",
  "What a cancel of all orders answers, and what the states of a market mean, come from clients.":
    "전체 취소의 응답과 마켓 상태의 뜻은 다른 클라이언트에서 가져왔습니다.",
  "Names of coins are not told: a market goes by its symbol.": "코인 이름을 알려 주지 않아 마켓을 심볼로 부릅니다.",
  "How the stream is asked for orders of all markets is not documented: hoga names each, as they are when a connection is opened.":
    "스트림에서 모든 마켓의 주문을 받는 방법이 문서에 없습니다. hoga는 연결할 때 있는 마켓을 하나씩 적어 보냅니다.",
};
