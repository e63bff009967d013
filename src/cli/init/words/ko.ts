/** What `hoga init` says, in Korean. */
import type { EN } from "./en.ts";

export const KO: Readonly<Record<keyof typeof EN, string>> = {
  "client.unknown": "hoga가 모르는 어시스턴트입니다: {name}.",
  "client.name_one":
    "다음 중 하나를 쓰십시오: {names}. 다른 어시스턴트라면 hoga init --print가 보여 주는 것을 그 설정에 붙여 넣으십시오.",
  "client.none":
    "hoga가 아는 어시스턴트를 이 컴퓨터에서 찾지 못했습니다. 다른 어시스턴트에 연결하려면 그 MCP 설정에 아래를 붙여 넣으십시오:",
  "terminal.none": "터미널이 아니어서 물어볼 사람이 없으므로 아무것도 쓰지 않았습니다.",
  "terminal.instead": "무엇을 쓸지 hoga init --print로 보거나, 터미널 창에서 hoga init을 실행하십시오.",
  "ask.begin":
    "Enter: 프로필 {profile}(으)로 거래하도록 위 내용을 씁니다. 내 키로 거래소를 쓰려면 그 이름({exchanges})을, 그만두려면 n을 입력하십시오",
  "ask.all": "모두 쓸까요? [y/N]",
  "end.unchanged": "바뀐 것은 없습니다.",
  "end.again": "원할 때 다시 실행하십시오.",
  "end.start_again": "hoga init을 다시 실행하십시오.",

  "file.same": "{title}: {file}에 이미 들어 있습니다.",
  "file.left": "{file}은(는) 건드리지 않습니다: {problem}.",
  "file.not_text": "UTF-8 텍스트가 아님",
  "file.not_json": "올바른 JSON이 아님",
  "file.not_toml": "올바른 TOML이 아님",
  "file.no_object": '그 안의 "{section}"이(가) 객체가 아님',
  "file.cannot_add": '"{section}"의 모양 때문에 나머지를 건드리지 않고는 더할 수 없음',
  "file.changed_now": "{file}이(가) 방금 바뀌어서 쓰지 않았습니다.",
  "file.command_again": "명령을 다시 실행하십시오.",
  "written.nothing": "쓸 것이 없었습니다.",
  "written.file": "썼습니다: {file}",
  "written.kept": "원래 내용은 {backup}에 있고, hoga init --undo로 되돌릴 수 있습니다.",
  "written.next":
    '어시스턴트를 다시 시작하고 "비트코인 지금 얼마야?"라고 물은 다음, "5만 원어치 사 줘"라고 해 보십시오.',
  "written.doctor": "모두 괜찮은지는 hoga doctor가 살펴봅니다.",

  "undo.nothing": "{dir}에는 되돌릴 것이 없습니다.",
  "undo.notes": "hoga init이 쓴 것은 거기에 적힙니다.",
  "undo.put_back": "{file}: 되돌렸습니다",
  "undo.removed": "{file}: 지웠습니다",
  "undo.as_it_was": "{file}: 이미 원래대로입니다",
  "undo.changed_since": '{file}: 그 뒤에 바뀌어서 그대로 두었습니다. hoga init이 더한 "hoga" 항목을 직접 빼십시오.',
  "undo.earlier": "전에 있던 내용은 {backup}에 있습니다.",

  "exchange.unknown": "hoga가 모르는 거래소입니다: {name}.",
  "exchange.listed": "거래할 수 있는 거래소는 hoga venues가 보여 줍니다.",
  "exchange.address": "거래소 주소",
  "exchange.address_own": "거래소 주소(Enter: https://{host})",
  "exchange.no_address": "주소가 아닙니다.",
  "exchange.address_form": "https://호스트 형식으로 입력하십시오. hoga init을 다시 실행하면 됩니다.",
  "exchange.money": "실제 돈이 걸린 곳입니까? live(실제) 또는 sandbox(모의)를 입력하십시오",
  "exchange.neither": "live도 sandbox도 아닙니다.",
  "exchange.type_one": "hoga init을 다시 실행하고 둘 중 하나를 입력하십시오.",
  "exchange.key": "API 키",
  "exchange.secret": "API 비밀 키",
  "exchange.go_on": "그래도 이 키로 계속할까요? [y/N]",
  "exchange.another_key": "먼저 다른 키를 만드십시오.",
  "exchange.not_shown": "키와 비밀 키: 보이지 않게 둡니다",
  "exchange.next": "다음: hoga probe --profile {profile} 명령이 이 키로 거래소를 시험합니다. 주문은 내지 않습니다.",

  "config.not_text": "{file}이(가) UTF-8 텍스트가 아닙니다.",
  "config.save": "UTF-8로 저장하십시오.",
  "config.correct": "파일을 고치거나, 프로필을 직접 더하십시오.",
  "config.exists": "{file}에 프로필 {profile}이(가) 이미 있어서 그대로 두었습니다.",
  "config.use_it": "hoga init --profile {profile}(으)로 그 프로필을 쓰거나, 먼저 이름을 바꾸십시오.",
  "policy.stays": "{file}이(가) 이미 있으므로 그대로 둡니다.",
  "policy.head":
    "정책을 정합니다. 어떤 도구도 정책을 바꿀 수 없습니다. 처음에는 모든 주문이 승인을 기다립니다(mode = confirm).",
  "policy.max_order": "주문 한 건의 최대 금액({unit})",
  "policy.max_day": "24시간 동안의 최대 금액({unit})",
  "policy.max_open": "미체결 주문의 최대 금액({unit})",
  "policy.not_so": "쓸 수 없는 값입니다({problem}).",
  "policy.no_sum": "금액이 아님",
  "policy.not_given": "{setting} 값을 정하지 않았습니다.",
  "policy.again": "hoga init을 다시 실행하십시오. 바뀐 것은 없습니다.",
};
