/** Owns what people read of payments and remittances, in both languages. `words.ts` joins it to what is said of orders. */
import { type Row, SUM } from "./told.ts";

export const TRANSFERS_EN = {
  "column.what": "payment or remittance (draft)",
  "transfer.question": "{money} Draft API. Approve this of account {account}?",
  "transfer.value": "It counts for {value}. Why you are asked: {why}.",
  "transfer.ends": "This ends at {ends}, with the quote at the latest.",
  "transfer.yes": "Let this money move",
  "transfer.yes_does": "Yes does exactly this, once.",
  "audit.intent":
    "all {count} rows are as they were written, but an order, payment or remittance is not as row {seq} left it: the data directory was changed past the log.",
} as const;

export const TRANSFERS_KO: Readonly<Record<keyof typeof TRANSFERS_EN, string>> = {
  "column.what": "결제·송금(시험판)",
  "transfer.question": "{money} 시험판 API. 계좌 {account}에서 다음을 승인하시겠습니까?",
  "transfer.value": "한도 계산 금액: {value}. 승인이 필요한 이유: {why}.",
  "transfer.ends": "승인 기한 {ends}, 늦어도 견적이 끝날 때까지.",
  "transfer.yes": "이 돈을 보냅니다",
  "transfer.yes_does": "예를 고르면 정확히 이 일을 한 번만 합니다.",
  "audit.intent":
    "{count}행 모두 기록한 그대로이지만, 주문이나 결제, 송금이 {seq}행이 남긴 상태와 다릅니다. 기록을 거치지 않고 데이터 디렉터리가 바뀌었습니다.",
};

/** The Korean of what the desk says of them. */
export const TRANSFERS_TOLD: readonly Row[] = [
  [
    /^(\w+) (\S+) has no answer yet; what is shown may change by it\.$/,
    "$1 $2은(는) 아직 응답이 없어, 보이는 것이 바뀔 수 있습니다.",
  ],
  [
    /^The exchange could not be asked for its state now; the one shown is as recorded\. (.+)$/,
    "거래소에 지금 상태를 묻지 못해, 기록된 상태를 보입니다. $1",
  ],
  [
    /^(\w+) (\S+) has had no answer since (\S+) and may have been made: (.+); account (\S+)\. Look with (\w+)\.$/,
    "$1 $2은(는) $3부터 응답이 없고 이루어졌을 수 있습니다: $4; 계좌 $5. $6로 조회하십시오.",
  ],
  [
    /^(\w+) (\S+) is let through since (\S+) and not sent yet: (.+); account (\S+)\. Look with (\w+)\.$/,
    "$1 $2은(는) $3에 통과되었고 아직 보내지 않았습니다: $4; 계좌 $5. $6로 조회하십시오.",
  ],
  [/^Transfers without an answer besides these: (\d+)( or more)?\.$/, "그 밖에 응답이 없는 결제와 송금: $1건$2."],
  [
    /^Payments and remittances without an answer could not be listed\. (.+)$/,
    "응답이 없는 결제와 송금의 목록을 읽지 못했습니다. $1",
  ],
];

/** Why the policy denies one. */
export const TRANSFERS_DENIED: readonly (readonly [sentence: RegExp, korean: string])[] = [
  [new RegExp(String.raw`^it comes to (${SUM}), and (\S+) allows (${SUM})$`), "금액이 $1인데, 한도($2)는 $3입니다."],
  [
    /^there is no price in (\w+) to count it by \(both sides of the asset's book are needed\)$/,
    "금액을 계산할 $1 기준 시세가 없습니다(그 자산의 매수 호가와 매도 호가가 모두 있어야 합니다).",
  ],
  [
    /^the file policy\.toml has no section \[(\w+)\]; a person has to add it, with (\S+) and (\S+)$/,
    "policy.toml에 [$1] 항목이 없습니다. 사람이 설정($2, $3)과 함께 추가해야 합니다.",
  ],
  [/^money goes to (.+) only \(remittances\.countries\)$/, "송금할 수 있는 나라는 $1뿐입니다(remittances.countries)."],
  [
    /^the beneficiary is not one of those that policy\.toml names \(remittances\.beneficiaries\)$/,
    "policy.toml에 적힌 수취인이 아닙니다(remittances.beneficiaries).",
  ],
  [/^trading is halted, so no money leaves$/, "거래가 정지되어 있어 결제와 송금을 하지 않습니다."],
];
