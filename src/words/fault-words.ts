/**
 * Owns the Korean of every fault, by its code: what happened and what the person does next. The English sentence of the moment follows
 * it wherever it is shown, as it may say more.
 *
 * Source: errors.md; decision 0032.
 */

import type { FaultCode, LocalFaultCode } from "../contract/index.ts";

type Row = readonly [meaning: string, nextAction: string];

export const FAULT_WORDS: Readonly<Record<FaultCode | LocalFaultCode, Row>> = {
  "EAPI:Invalid key": ["거래소가 이 API 키를 모릅니다.", "API 키를 확인하십시오. 키는 한 환경에서만 쓸 수 있습니다."],
  "EAPI:Invalid signature": [
    "서명이 요청과 맞지 않습니다.",
    "비밀 키를 확인하십시오(base64를 풀어서 씁니다). 서명한 글과 보낸 글이 같아야 합니다.",
  ],
  "EAPI:Invalid nonce": [
    "nonce가 이 키로 마지막에 받아들여진 값보다 크지 않습니다. 이번 요청은 아무 효과가 없었습니다.",
    "조회는 더 큰 nonce로 다시 하고, 주문은 이미 들어갔을 수 있으니 먼저 조회하십시오.",
  ],
  "EAPI:IP not allowed": ["이 키에 허용된 IP 주소가 아닙니다.", "거래소에서 이 주소를 키에 등록하십시오."],
  "EGeneral:Permission denied": ["키에 이 기능의 권한이 없습니다.", "아래에 나온 권한이 있는 키를 쓰십시오."],
  "EAPI:Rate limit exceeded": [
    "키나 주소의 호출 한도를 다 썼습니다. 이번 요청은 아무 효과가 없었습니다.",
    "잠시 기다렸다가 다시 하십시오.",
  ],
  "EGeneral:Invalid arguments": [
    "빠졌거나, 알 수 없거나, 형식이 틀린 항목이 있습니다.",
    "아래에 나온 항목을 고치십시오.",
  ],
  "EGeneral:Unknown method": ["거래소에 그런 주소가 없거나, 요청한 버전에 없습니다.", "주소와 버전을 확인하십시오."],
  "EQuery:Unknown asset pair": ["그런 마켓이 없습니다.", "마켓 목록에서 이름을 확인하십시오."],
  "EOrder:Unknown order": ["이 계좌의 이 마켓에 그런 주문이 없습니다.", "주문 번호와 마켓을 확인하십시오."],
  "EOrder:Insufficient funds": [
    "주문 가능 금액이 주문과 수수료보다 적습니다.",
    "주문을 줄이거나, 묶여 있는 자산을 푸십시오.",
  ],
  "EOrder:Order minimum not met": [
    "수량이나 금액이 최소 주문 기준보다 작습니다.",
    "최소 수량과 최소 금액 이상으로 주문하십시오.",
  ],
  "EOrder:Tick size check failed": [
    "가격이 호가 단위에 맞지 않거나, 수량의 소수 자릿수가 너무 많습니다.",
    "호가 단위와 소수 자릿수에 맞추십시오.",
  ],
  "EOrder:Invalid price": ["가격이 0이거나 마켓이 받는 범위를 벗어납니다.", "현재 호가에 가까운 가격을 쓰십시오."],
  "EOrder:Post only order": [
    "post-only 주문인데 바로 체결될 가격입니다.",
    "호가에 남을 가격을 쓰거나 post-only를 빼십시오.",
  ],
  "EOrder:Order already closed": ["이미 끝난 주문입니다.", "취소할 것이 없습니다."],
  "EOrder:Market halted": [
    "지금 이 마켓은 새 주문을 받지 않습니다. 취소는 됩니다.",
    "마켓의 거래가 다시 열릴 때까지 기다리십시오.",
  ],
  "EOrder:Orders limit exceeded": ["미체결 주문이 너무 많습니다.", "필요 없는 주문을 취소하십시오."],
  "EOrder:Duplicate userref": [
    "이 userref는 24시간 안에 이미 쓰였습니다.",
    "userref로 주문을 조회하십시오. 새 주문에는 새 userref를 쓰십시오.",
  ],
  "ECompliance:Missing travel-rule metadata": [
    "트래블룰에 필요한 정보가 빠졌습니다.",
    "네 가지 정보를 모두 보내십시오.",
  ],
  "ECompliance:KYC level too low": [
    "신고한 고객확인(KYC) 등급으로는 이 금액의 주문을 할 수 없습니다.",
    "실제 등급이 더 높으면 그 등급을 쓰고, 아니면 등급을 올리거나 주문을 줄이십시오.",
  ],
  "ECompliance:KRW account not linked": [
    "이 정산 방식에는 연결된 원화 계좌가 필요합니다.",
    "거래소에서 원화 계좌를 연결하십시오.",
  ],
  "ETransfer:Unknown transfer": [
    "이 계좌에 그런 결제, 견적, 송금이 없습니다.",
    "번호를 확인하십시오. 견적은 쓰이거나 기한이 지나면 없어집니다.",
  ],
  "ETransfer:Wrong state": [
    "결제나 송금의 현재 상태에서는 할 수 없는 일입니다.",
    "바뀐 것은 없습니다. 결제나 송금의 상태를 확인하십시오.",
  ],
  "ETransfer:Quote not usable": ["견적이 없거나, 이미 쓰였거나, 기한이 지났습니다.", "견적을 새로 받으십시오."],
  "ETransfer:Idempotency key reused": [
    "멱등 키가 다른 요청에 이미 쓰였습니다.",
    "그 키의 요청이 어떻게 되었는지 조회하십시오. 새 요청에는 새 키를 씁니다.",
  ],
  "EService:Unavailable": [
    "거래소가 지금 응답할 수 없습니다.",
    "잠시 뒤에 다시 하십시오. 주문이라면 먼저 조회하십시오.",
  ],
  "EService:Timeout": [
    "거래소가 제때 끝내지 못했습니다. 주문은 들어갔을 수도 있고 아닐 수도 있습니다.",
    "다시 주문하지 말고 먼저 조회하십시오.",
  ],
  "ELocal:Invalid input": [
    "입력이 빠졌거나, 알 수 없거나, 형식이 틀립니다. 보낸 것은 없습니다.",
    "아래에 나온 항목을 고치십시오.",
  ],
  "ELocal:Unknown market": [
    "그런 이름의 마켓이 없습니다. 보낸 것은 없습니다.",
    "아래에 나온 마켓 중에서 고르거나 이름을 다시 찾으십시오.",
  ],
  "ELocal:Unknown order": [
    "그런 번호나 userref의 주문이 여기에도 거래소에도 없습니다.",
    "주문 목록에서 번호를 확인하십시오.",
  ],
  "ELocal:Userref in use": [
    "이 userref는 다른 주문이 이미 쓰고 있습니다. 보낸 것은 없습니다.",
    "userref를 빼거나 새로 정하십시오.",
  ],
  "ELocal:Twin unresolved": [
    "똑같은 주문을 이미 보냈고 아직 응답을 받지 못했습니다. 이번에는 보내지 않았습니다.",
    "먼저 그 주문을 조회하십시오. 정말 하나 더 원할 때만 그다음에 다시 주문하십시오.",
  ],
  "ELocal:Withdrawn": [
    "요청이 취소되었습니다. 아무것도 보내지 않았습니다.",
    "여전히 원한다면 다시 요청하되, 주문이면 그 userref는 빼십시오.",
  ],
  "ELocal:Not checked": [
    "먼저 해야 하는 확인에 거래소가 답하지 않았습니다. 보낸 것은 없습니다.",
    "거래소가 열려 있는지 확인하십시오.",
  ],
  "ELocal:Draft not usable": [
    "미리보기가 없거나, 이미 쓰였거나, 기한이 지났습니다. 보낸 것은 없습니다.",
    "미리보기를 다시 하십시오.",
  ],
  "ELocal:Policy unreadable": [
    "policy.toml을 읽을 수 없거나, 손상되었거나, 다른 사람이 바꿀 수 있어서 주문하지 않습니다. 취소는 됩니다. 보낸 것은 없습니다.",
    "아래에 나온 것을 고치십시오. 다음 주문 때 파일을 다시 읽습니다.",
  ],
  "ELocal:Denied by policy": [
    "정책(policy.toml)이 이 요청을 허용하지 않습니다. 보낸 것은 없습니다.",
    "안내한 대로 고치거나 그만두십시오.",
  ],
  "ELocal:Trading halted": [
    "거래가 정지되어 있어 주문하지 않습니다. 취소는 됩니다. 보낸 것은 없습니다.",
    "정지는 사람만 hoga resume로 풉니다.",
  ],
  "ELocal:Not approved": [
    "사람의 승인이 필요한데 승인되지 않았습니다. 보낸 것은 없습니다.",
    "아직 원하면 새로 요청하십시오.",
  ],
  "ELocal:Approval mismatch": [
    "이 주문에 대한 승인이 아니거나 이미 쓰인 승인입니다. 보낸 것은 없습니다.",
    "무엇이 나가는지 볼 수 있게 새로 주문하십시오.",
  ],
  "ELocal:Cannot rehearse": [
    "과거 캔들로는 이 예약이 어떻게 되었을지 알 수 없습니다. 기록한 것은 없습니다.",
    "시세에서 더 먼 발동 가격을 고르거나, 캔들이 더 촘촘한 짧은 기간을 고르십시오.",
  ],
  "ELocal:Unknown plan": [
    "이 계좌에 그런 예약이 없습니다. 바뀐 것은 없습니다.",
    "끝난 예약까지 포함해 목록에서 찾아보십시오.",
  ],
  "ELocal:Plan ended": ["이미 끝난 예약이라 바꿀 수 없습니다. 바뀐 것은 없습니다.", "아직 필요하면 새로 예약하십시오."],
  "ELocal:No key": ["프로필에 API 키가 없어 공개 시세만 볼 수 있습니다.", "프로필에 키를 넣으십시오."],
  "ELocal:Venue unreachable": [
    "거래소에 연결할 수 없습니다. 보낸 것은 없습니다.",
    "거래소가 열려 있는지, base_url이 맞는지 확인하십시오.",
  ],
  "ELocal:No answer": [
    "요청을 보냈지만 제때 응답이 오지 않았습니다.",
    "주문이나 취소라면 무엇보다 먼저 조회하십시오. 같은 주문을 두 번 보내지 않습니다.",
  ],
  "ELocal:Not placed": [
    "주문은 효과가 없었습니다. 나가지 않았거나, 거래소에 그런 주문이 없음이 확인되었습니다.",
    "아직 원하면 다시 주문하십시오.",
  ],
  "ELocal:Unreadable answer": [
    "거래소의 응답이 정해진 형식이 아닙니다.",
    "base_url을 확인하십시오. 주문이나 취소라면 먼저 조회하십시오.",
  ],
  "ELocal:Wrong order": [
    "거래소가 요청과 다른 주문으로 답했습니다. 주문이 어떻게 되었는지 알 수 없습니다.",
    "바로 거래소에서 직접 확인하십시오. 이 주문으로는 더 보내지 않습니다.",
  ],
  "ELocal:Not started": [
    "저장소나 거래소를 열 수 없습니다. 보낸 것은 없습니다.",
    "아래에 나온 설정이나 파일을 고치고 다시 시작하십시오.",
  ],
  "ELocal:Webhook not authentic": [
    "웹훅의 서명이나 시각이 맞지 않아 읽지 않았습니다.",
    "웹훅 비밀 값과 이 컴퓨터의 시계를 확인하십시오.",
  ],
  "ELocal:Webhook not understood": [
    "웹훅은 진짜이지만 알 수 없는 종류나 형식입니다.",
    "hoga를 새 버전으로 바꾸거나 거래소에 문의하십시오.",
  ],
  "ELocal:Store unavailable": [
    "저장소를 읽거나 쓸 수 없어 주문을 기록할 수 없습니다. 보낸 것은 없습니다.",
    "메시지에 적힌 대로 하십시오. hoga store check가 더 알려 줍니다.",
  ],
  "ELocal:Store damaged": [
    "저장소가 손상되어 주문을 기록할 수 없습니다. 보낸 것은 없습니다.",
    "hoga store check로 무엇이 잘못되었는지 확인하고 백업을 복원하십시오.",
  ],
  "ELocal:Busy": [
    "이 호출자가 요청해 둔 그림이 이미 한도만큼 있습니다. 하나를 그리는 동안 둘까지 기다릴 수 있습니다.",
    "잠시 기다렸다가 다시 하거나, 그림 없이 요청하십시오.",
  ],
  "ELocal:Internal error": [
    "hoga 안에서 오류가 났습니다. 쓰기가 효과가 있었는지 알 수 없습니다.",
    "다시 주문하기 전에 미체결 주문과 주문 내역을 확인하고, 오류를 알려 주십시오.",
  ],
};

const UNLISTED: Row = ["거래소가 목록에 없는 코드로 거절했습니다.", "같은 요청을 그대로 되풀이하지 마십시오."];

/**
 * Takes a code as it came, with a detail or not.
 * @param message the desk's own
 */
export function koreanFault(code: string, message = ""): { readonly meaning: string; readonly nextAction: string } {
  const known = Object.entries(FAULT_WORDS).find(([each]) => code === each || hasDetail(code, each));
  const [meaning, nextAction] = stillRead(message) ?? known?.[1] ?? UNLISTED;
  return { meaning, nextAction };
}

/** Our own codes come without one. */
function hasDetail(code: string, known: string): boolean {
  return !known.startsWith("ELocal:") && code.startsWith(`${known}:`);
}

/** What a fault is told with, where that says all of it; undefined of any other sentence. */
export function koreanSaid(message: string): string | undefined {
  return stillRead(message)?.[0];
}

/** The loss of the day waits for trades that are being read. */
function stillRead(message: string): Row | undefined {
  const found = /^What was lost today is not known yet: .+ \((\d+) so far(?:, back to (\S+))?\), which goes on /.exec(
    message,
  );
  if (found === null) return undefined;
  const [, count = "", back] = found;
  return [
    `오늘 손실을 아직 알 수 없습니다. 거래소에서 체결 내역을 읽는 중입니다(지금까지 ${count}건${back === undefined ? "" : `, ${back}까지`}). 보낸 것은 없습니다.`,
    "잠시 뒤에 다시 하십시오. hoga가 켜져 있는 동안 저절로 이어 읽고, 한 체결은 한 번만 읽습니다. 기다릴 수 없으면 그때까지 policy.toml에서 하루 손실 한도를 빼면 됩니다.",
  ];
}
