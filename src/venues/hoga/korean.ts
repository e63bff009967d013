/** The sentences of the card of the specified exchange in Korean. */
export const KOREAN: Readonly<Record<string, string>> = {
  "30 calls a second a key": "키마다 초당 30회",
  "600 to 6000 of weight a minute a key, by its tier": "키마다 분당 가중치 600~6000(등급에 따라)",
};
