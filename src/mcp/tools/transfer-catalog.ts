/** The payment and remittance tools, listed in this order after the others, where the modules of the profile name them. */
import type { Tool } from "../tool/tool.ts";
import { cancelRemittance } from "./cancel-remittance.ts";
import { confirmPayment } from "./confirm-payment.ts";
import { getPayment } from "./get-payment.ts";
import { getRemittance } from "./get-remittance.ts";
import { quotePayment } from "./quote-payment.ts";
import { quoteRemittance } from "./quote-remittance.ts";
import { refundPayment } from "./refund-payment.ts";
import { sendRemittance } from "./send-remittance.ts";

export const TRANSFER_TOOLS: readonly Tool[] = [
  quotePayment,
  confirmPayment,
  getPayment,
  refundPayment,
  quoteRemittance,
  sendRemittance,
  getRemittance,
  cancelRemittance,
];
