/** What is held, what it cost, is worth and earned, in Korean. In English it is the text of the tool `get_portfolio`. */
import { quoted } from "../contract/index.ts";
import type { PortfolioAsset, PortfolioView } from "../desk/index.ts";
import { shortAmount, shortWon, type Words } from "../words/index.ts";
import { right, table } from "./table.ts";

export function koreanPortfolio(view: PortfolioView, words: Words): string {
  const { account, assets, totals, period, method, as_of, warnings } = view;
  const { say, when } = words;
  const won = (text: string | null): string => (text === null ? "아직 모름" : words.won(shortWon(text)));
  const since = period.from === null ? "첫 체결" : when(period.from);
  const how = method === "fifo" ? ", 선입선출" : "";
  return [
    `${say(`money.${view.environment}`)} 계좌 ${quoted(account)}, ${when(as_of)}`,
    `평가 금액 ${won(totals.value_krw)}. 매수 원가 ${won(totals.cost_krw)}, 평가 손익 ${won(totals.unrealized_krw)}.`,
    `${since} ~ ${when(period.to)}${how}: 수수료를 뺀 실현 손익 ${won(totals.realized_krw)}, 수수료 ${won(totals.fees_krw)}.`,
    table(
      [
        "자산",
        ...["보유", "주문 가능", "평단가", "평가 금액", "평가 손익", "실현 손익", "수수료", "원가 모름"].map(right),
      ],
      assets.map((asset) => cells(asset)),
    ),
    ...warnings.map((detail) => say("error.detail", { detail })),
  ].join("\n");
}

function cells(line: PortfolioAsset): readonly string[] {
  const { asset, volume, available, average_cost, value_krw, unrealized_krw, unrealized_pct, uncosted_volume } = line;
  const krw = (text: string | null): string => (text === null ? "–" : shortAmount(text, "KRW"));
  const gain = unrealized_krw === null ? "–" : `${krw(unrealized_krw)} (${unrealized_pct ?? "0"}%)`;
  return [
    asset,
    shortAmount(volume, asset),
    shortAmount(available, asset),
    krw(average_cost),
    krw(value_krw),
    gain,
    krw(line.realized_krw),
    krw(line.fees_krw),
    uncosted_volume === null ? "–" : shortAmount(uncosted_volume, asset),
  ];
}
