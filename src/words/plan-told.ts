/** The Korean of what the desk says of plans: why a person is asked, and what was known against one. */
import type { Row } from "./told.ts";

export const PLANS_TOLD: readonly Row[] = [
  [
    /^a person approves every plan that may trade(?: \(approve is always\))?$/,
    "주문이 나갈 수 있는 예약은 모두 사람이 승인합니다",
  ],
  [
    /^it comes to (\S+) at worst, more than (\S+) that may begin without one$/,
    "최대 $1으로, 승인 없이 시작할 수 있는 $2보다 큽니다",
  ],
  [
    /^it takes the place of a protection \(stop_removal is ask\)$/,
    "걸려 있는 보호를 대신하는 예약입니다(stop_removal = ask)",
  ],
  [/^it takes a protection away \(stop_removal is ask\)$/, "걸려 있는 보호를 없앱니다(stop_removal = ask)"],
  [/^a person starts a plan again where money may be real$/, "진짜 돈일 수 있으면 예약은 사람이 다시 시작합니다"],
  [/^how far the market ordinarily moves could not be read$/, "평소 시세 변동 폭을 읽지 못했습니다"],
  [
    /^nothing is bought while the market is above limit_price: the best ask is (.+)$/,
    "시세가 limit_price보다 높은 동안에는 사지 않습니다. 지금 최우선 매도호가는 $1입니다",
  ],
  [
    /^nothing is sold while the market is below limit_price: the best bid is (.+)$/,
    "시세가 limit_price보다 낮은 동안에는 팔지 않습니다. 지금 최우선 매수호가는 $1입니다",
  ],
  [
    /^A person is asked about it already; they are not asked twice\.$/,
    "이미 승인을 기다리고 있어, 다시 묻지 않습니다.",
  ],
];
