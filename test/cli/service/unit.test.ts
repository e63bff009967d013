import { describe, expect, it } from "vitest";
import { servedBy, unitText } from "../../../src/cli/service/unit.ts";

const SETTINGS = { node: "/usr/bin/node", program: "/usr/lib/hoga/cli.js", port: 8421 };

describe("a systemd unit", () => {
  it.each(["node", "program", "profile"] as const)(
    "takes no control character in %s: behind one a line could stand",
    (name) => {
      for (const character of ["\n", "\r", "\t", "\u0000", "\u001b", "\u007f", "\u0085", "\u2028"])
        expect(() => unitText({ ...SETTINGS, [name]: `a${character}ExecStartPre=/bin/evil` })).toThrow(
          /^"a\\\S+ExecStartPre=\/bin\/evil" has a control character/,
        );
    },
  );

  it("takes what else may stand in a name, and reads it back", () => {
    const program = '/opt/my $hoga/100%/ho\\ga "x"/cli.js';
    expect(servedBy(unitText({ ...SETTINGS, program, profile: "호가" }))).toMatchObject({ program, port: 8421 });
  });
});
