/** The tools in the order they are listed; the order is public. */
import type { Tool } from "../tool/tool.ts";
import { awaitOrder } from "./await-order.ts";
import { cancelAllOrders } from "./cancel-all-orders.ts";
import { cancelOrder } from "./cancel-order.ts";
import { changePlan } from "./change-plan.ts";
import { createPlan } from "./create-plan.ts";
import { getAuditLog } from "./get-audit-log.ts";
import { getBalances } from "./get-balances.ts";
import { getCandles } from "./get-candles.ts";
import { getDeskStatus } from "./get-desk-status.ts";
import { getMarkets } from "./get-markets.ts";
import { getOpenOrders } from "./get-open-orders.ts";
import { getOrder } from "./get-order.ts";
import { getOrderHistory } from "./get-order-history.ts";
import { getOrderbook } from "./get-orderbook.ts";
import { getPortfolio } from "./get-portfolio.ts";
import { getRecentTrades } from "./get-recent-trades.ts";
import { getTicker } from "./get-ticker.ts";
import { getTradeHistory } from "./get-trade-history.ts";
import { haltTrading } from "./halt-trading.ts";
import { listPlans } from "./list-plans.ts";
import { placeOrder } from "./place-order.ts";
import { previewOrder } from "./preview-order.ts";
import { replaceOrder } from "./replace-order.ts";
import { setCancelTimer } from "./set-cancel-timer.ts";

export const TOOLS: readonly Tool[] = [
  getMarkets,
  getTicker,
  getOrderbook,
  getCandles,
  getRecentTrades,
  getBalances,
  getOpenOrders,
  getOrder,
  getOrderHistory,
  getTradeHistory,
  getPortfolio,
  previewOrder,
  placeOrder,
  replaceOrder,
  cancelOrder,
  cancelAllOrders,
  awaitOrder,
  createPlan,
  listPlans,
  changePlan,
  setCancelTimer,
  getDeskStatus,
  haltTrading,
  getAuditLog,
];
