/** The sentences of the card of Bithumb in Korean. */
export const KOREAN: Readonly<Record<string, string>> = {
  "140 calls a second an address, of each of orders, cancels and all other private calls":
    "IP마다 주문, 취소, 그 밖의 비공개 호출 각각 초당 140회",
  "150 calls a second an address, of each kind of market data": "IP마다 시세 종류별로 초당 150회",
  "about 20 orders and cancels a second in one asset; hoga sends at most 6 orders and 12 cancels":
    "한 자산에서 주문과 취소를 합쳐 초당 20회쯤(hoga는 주문 6회, 취소 12회까지만 보냄)",
  "The fee of a fill is its share by value of the order's fee, which alone is told.":
    "수수료는 주문 단위로만 알려 주므로, 체결마다의 수수료는 금액 비율로 나눈 값입니다.",
  "An order is assumed to be found within ten seconds.": "주문은 10초 안에 조회된다고 가정합니다.",
  "That the stream tells every change of the account is not documented: it only makes hoga look sooner.":
    "실시간 스트림이 계정의 모든 변화를 알려 준다는 말이 문서에 없습니다. hoga는 더 일찍 조회하는 데만 씁니다.",
  "How long a signed request is honoured is not documented (there is a refusal of tokens that have run out), so that no order is found never proves that none will be.":
    "서명한 요청이 언제까지 유효한지 문서에 없습니다(만료된 토큰을 거절한다는 말은 있습니다). 그래서 지금 주문이 없다고 해서 나중에도 없으리라는 보장은 없습니다.",
  "What becomes of a repeated client_order_id is told in two ways: that it is refused, and that the first order is answered with. A refusal that speaks of it, and an answer with an order older than the request, make hoga look the order up.":
    "같은 client_order_id를 다시 쓰면 거절된다는 설명과 첫 주문으로 답한다는 설명이 모두 있습니다. 이를 언급하는 거절이나 요청보다 오래된 주문이 답으로 오면 hoga가 주문을 조회합니다.",
  "Whether a refused order uses up its client_order_id is not documented.":
    "거절된 주문의 client_order_id를 다시 쓸 수 있는지 문서에 없습니다.",
  "How long ended orders can be looked up is not documented, nor by which of its times a list of ended orders chooses.":
    "끝난 주문을 언제까지 조회할 수 있는지, 끝난 주문 목록이 어느 시각을 기준으로 고르는지 문서에 없습니다.",
  "An order that is canceled while it waits for its price is in no list of ended orders.":
    "예약 가격을 기다리다 취소된 주문은 끝난 주문 목록에 나오지 않습니다.",
  "The key of a next page is hashed as it is, as the guide does it; if that is refused, once more as it is encoded.":
    "다음 페이지 키는 안내서처럼 그대로 해시합니다. 거절되면 인코딩한 값으로 한 번 더 합니다.",
  "What being over the limits looks like is not documented: an answer of HTTP 429 makes hoga wait.":
    "한도를 넘으면 어떤 응답이 오는지 문서에 없습니다. HTTP 429가 오면 hoga가 기다립니다.",
  "The minimum of an order, and its refusals for want of money, come from clients and not from the exchange's pages.":
    "최소 주문 금액과 잔고 부족 오류는 거래소 문서가 아니라 다른 클라이언트에서 가져왔습니다.",
  "How long a key lasts is not documented.": "키의 유효 기간이 문서에 없습니다.",
  "How many messages a second the stream takes is not documented: hoga sends one.":
    "스트림이 초당 메시지를 몇 개까지 받는지 문서에 없습니다. hoga는 하나씩 보냅니다.",
};
