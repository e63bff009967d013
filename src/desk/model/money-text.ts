/** Money in the desk's sentences: what orders count for, limits and prices, as all texts show them, "₩1,450,000". */
export { formatKrw as moneyText } from "../../decimal/index.ts";
