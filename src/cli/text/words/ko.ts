/** What `hoga plans` says, in Korean. */
import type { EN } from "./en.ts";

export const KO: Readonly<Record<keyof typeof EN, string>> = {
  "list.none": "{money} 계좌 {account}에 예약이 없습니다.",
  "list.head": "{money} 계좌 {account}의 예약 {count}건.",
  "list.more": "더 오래된 예약이 있습니다. --limit으로 {most}건까지 볼 수 있습니다.",
  "plan.line": "{state}  {summary}",
  "plan.until": "종료 {time}",
  "plan.watched": "{time}부터 지켜보는 중",
  "plan.unwatched": "지금은 지켜보지 않음",
  "plan.told": "{time}에 알림",
  "plan.why": "이유: {why}",
  "plan.note": '메모: "{note}"',
  "watch.is": "{time}부터 지켜보고 있습니다.",
  "watch.none": "지금은 아무도 지켜보지 않습니다. 예약은 이 프로필의 hoga 서버가 켜져 있는 동안에만 작동합니다.",
  "watch.last": "{time} 뒤로 아무도 지켜보지 않습니다. 예약은 이 프로필의 hoga 서버가 켜져 있는 동안에만 작동합니다.",
  "gap.was": "{symbol} 시세를 지켜보지 못한 시간: {from} ~ {to}({why}).",
  "gap.is": "{symbol} 시세를 {from}부터 지켜보지 못하고 있습니다({why}).",
  "write.preview": "미리 보기입니다. 기록한 것은 없습니다.",
  "write.active": "예약을 시작했습니다. 이 프로필의 hoga 서버가 켜져 있는 동안에만 작동합니다.",
  "write.paused": "예약을 일시 정지했습니다. 다시 시작하기 전에는 아무 일도 하지 않습니다.",
  "write.canceled": "예약을 취소했습니다. 더는 아무 일도 하지 않습니다.",
  "write.other": "예약 상태: {state}.",
  "write.warning": "참고: {text}",
};
