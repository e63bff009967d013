/** The tools of the draft APIs, in the order they are listed behind the others; a profile names them, or they are not there. */
import type { Tool } from "../tool.ts";
import { cancelRemittance } from "./cancel-remittance.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { getPayment } from "./get-payment.ts";
import { getRemittance } from "./get-remittance.ts";
import { quotePayment } from "./quote-payment.ts";
import { quoteRemittance } from "./quote-remittance.ts";
import { refundPayment } from "./refund-payment.ts";
import { sendRemittance } from "./send-remittance.ts";

export const DRAFT_TOOLS: readonly Tool[] = [
  quotePayment,
  confirmPayment,
  getPayment,
  refundPayment,
  quoteRemittance,
  sendRemittance,
  getRemittance,
  cancelRemittance,
];
