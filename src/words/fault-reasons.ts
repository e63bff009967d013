/**
 * Owns the Korean of faults whose sentence says more than their code: why, and what to do then. Loaded for those who read it, as the words of a denial.
 */

import { FAULTS, LOCAL_FAULTS } from "../contract/index.ts";
import { koreanFault } from "./fault-words.ts";
import { koreanLack } from "./lack-words.ts";

const FURTHER = "시세에서 더 먼 발동 가격을 고르거나, 캔들이 더 촘촘한 짧은 기간을 고르십시오.";
const NO_REHEARSAL = "rehearse를 빼십시오.";

const NOT_RECORDED = "기록한 것은 없습니다.";

const ROWS: readonly (readonly [sentence: RegExp, meaning: string, nextAction: string])[] = [
  [
    /^Nobody else quotes (.+) now, so that what the plan comes to is not known\. Nothing was recorded\.$/,
    `지금 $1 호가창에 다른 사람의 호가가 없어 예약 금액을 알 수 없습니다. ${NOT_RECORDED}`,
    "호가를 확인하고, 호가가 나오면 다시 요청하십시오.",
  ],
  [
    /^No PIN is set, .+$/,
    "PIN이 없습니다. 실거래에서는 PIN이 없으면 사람의 승인이 필요한 요청을 받지 않습니다. 보낸 것은 없습니다.",
    "터미널에서 hoga pin으로 PIN을 정한 뒤 새로 요청하십시오.",
  ],
  [
    /^The trigger is (\S+(?: \w+)?) from the first price, and a candle of that period moved (\S+(?: \w+)?) in half of the cases: under three times that, (\S+(?: \w+)?), .+$/,
    `발동 가격과 기간의 첫 시세는 $1 차이인데, 그 기간의 캔들은 절반이 $2 이상 움직였습니다. 차이가 그 세 배인 $3보다 작으면 캔들로는 어떻게 되었을지 알 수 없습니다. ${NOT_RECORDED}`,
    FURTHER,
  ],
  [
    /^A candle rose and fell by more than the trail, .+$/,
    `고점 대비 하락 폭으로 정한 값보다 크게 오르고 또 내린 캔들이 있는데, 오른 것과 내린 것 가운데 어느 쪽이 먼저였는지 캔들로는 알 수 없습니다. ${NOT_RECORDED}`,
    FURTHER,
  ],
  [
    /^In the candle of (\S+) the market was at both prices, .+$/,
    `$1 캔들에서 시세가 두 가격에 모두 닿았는데, 어느 쪽이 먼저였는지 캔들로는 알 수 없습니다. ${NOT_RECORDED}`,
    FURTHER,
  ],
  [
    /^(\S+) has no candles of the last (\d+)d that have ended\. .+$/,
    `최근 $2일 안에 끝난 $1 캔들이 없습니다. ${NOT_RECORDED}`,
    "다른 기간이나 다른 마켓을 고르십시오. 기간이 짧을수록 캔들이 촘촘합니다.",
  ],
  [
    /^An alert trades never: .+$/,
    `알림은 주문하지 않으므로 과거 시세에 적용해 볼 것이 없습니다. ${NOT_RECORDED}`,
    NO_REHEARSAL,
  ],
  [
    /^A plan that begins with a buy has no price of the past .+$/,
    `매수 주문이 끝나야 시작하는 예약이라, 과거 시세의 어느 가격에서 시작할지 정할 수 없습니다. ${NOT_RECORDED}`,
    NO_REHEARSAL,
  ],
  [
    /^A rebalance is of what is held and quoted now: .+$/,
    `리밸런싱은 지금 가진 수량과 현재 호가로 정하므로, 과거 시세로는 알 수 없습니다. ${NOT_RECORDED}`,
    "대신 미리보기를 하십시오.",
  ],
];

/** @returns undefined of any other sentence */
export function koreanReason(message: string): { readonly meaning: string; readonly nextAction?: string } | undefined {
  const row = ROWS.find(([sentence]) => sentence.test(message));
  if (row === undefined) return koreanLack(message) ?? ofCode(message);
  const [sentence, meaning, nextAction] = row;
  return { meaning: message.replace(sentence, meaning), nextAction };
}

/** An exchange gives a code alone: what it means is said in its place. */
function ofCode(message: string): ReturnType<typeof koreanFault> | undefined {
  const known = Object.entries({ ...FAULTS, ...LOCAL_FAULTS }).find(([, { meaning }]) => meaning === message);
  return known && koreanFault(known[0]);
}
