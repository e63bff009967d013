/** What a notice says, in Korean. */
import type { EN } from "./en.ts";

export const KO: Readonly<Record<keyof typeof EN, string>> = {
  "is.plan.active": "예약을 시작했습니다: {plan}",
  "is.plan.triggered": "조건이 충족되었습니다: {plan}",
  "is.plan.step_done": "한 회차를 마쳤습니다: {plan}",
  "is.plan.step_missed": "회차를 놓쳤고 나중에 채우지 않습니다: {plan}",
  "is.plan.below_floor": "시세가 하한 아래여서 팔지 않습니다: {plan}",
  "is.plan.attention": "사람이 확인해야 계속할 수 있습니다: {plan}",
  "is.plan.paused": "예약을 일시 정지했습니다: {plan}",
  "is.plan.removal_requested": "어시스턴트가 이 보호를 없애려 합니다: {plan}",
  "is.plan.expiring": "하루 안에 끝나는 예약입니다: {plan}",
  "is.plan.ended": "예약이 끝났습니다({state}): {plan}",
  "is.plan.gap": "{gap}: {plan}",
  "is.alert.fired": "알림: {plan}",
  "fired.above": "{symbol} 시세가 {price} 이상입니다.",
  "fired.below": "{symbol} 시세가 {price} 이하입니다.",
  "fired.seen": "마지막 체결가는 {price}입니다.",
  "gap.begun": "{from}부터 {symbol} 시세를 지켜보지 못하고 있습니다({why})",
  "gap.ended": "{from}부터 {to}까지 {symbol} 시세를 지켜보지 못했습니다({why})",
  "gap.span": "그동안 시세는 {low}에서 {high} 사이였고, 따로 알리지 않습니다.",
  why: "이유: {why}",
  note: '메모: "{note}"',
  unknown: "이제 보관하지 않는 예약",
};
