import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigError, homeOf, makeDir, prepareHome } from "../../src/config/index.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-home-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("the data directory", () => {
  const linux = (HOGA_HOME: string) => homeOf({ HOGA_HOME, HOME: "/u", XDG_DATA_HOME: "/data" }, "linux").dir;

  it("is HOGA_HOME where that is set", () => {
    expect(linux("/srv/hoga")).toBe("/srv/hoga");
    expect(linux("/srv/../srv/hoga/")).toBe("/srv/hoga");
    expect(linux("")).toBe("/data/hoga");
    expect(linux("  ")).toBe("/data/hoga");
    expect(linux(" /srv/hoga ")).toBe("/srv/hoga");
  });

  it("is in the user's own directory where no shell has replaced the ~", () => {
    expect(linux("~/x")).toBe("/u/x");
    expect(linux("~")).toBe("/u");
    expect(linux("/srv/~/x")).toBe("/srv/~/x");
  });

  it.each(["relative", "./x", "~other/x"])("is refused as %s, with the whole path to use", (named) => {
    expect(() => linux(named)).toThrow(ConfigError);
    try {
      linux(named);
    } catch (error) {
      expect((error as ConfigError).fix).toContain(`HOGA_HOME=${join(process.cwd(), named)}`);
    }
  });

  it("is the platform's own otherwise", () => {
    const user = homedir();
    expect(homeOf({}, "linux").dir).toBe(join(user, ".local/share/hoga"));
    expect(homeOf({ XDG_DATA_HOME: "relative" }, "linux").dir).toBe(join(user, ".local/share/hoga"));
    expect(homeOf({}, "freebsd").dir).toBe(join(user, ".local/share/hoga"));
    expect(homeOf({ XDG_DATA_HOME: "/data" }, "darwin").dir).toBe(join(user, "Library/Application Support/hoga"));
    expect(homeOf({ LOCALAPPDATA: "/users/me/local" }, "win32").dir).toBe(join("/users/me/local", "hoga"));
    expect(homeOf({}, "win32").dir).toBe(join(user, "AppData", "Local", "hoga"));
  });

  it("holds settings, policy, database, token and sandbox", () => {
    expect(homeOf({ HOGA_HOME: "/h", HOME: "/u" }, "linux")).toEqual({
      dir: "/h",
      config: "/h/config.toml",
      policy: "/h/policy.toml",
      database: "/h/hoga.db",
      storeMark: "/h/store.json",
      httpToken: "/h/http-token",
      sandbox: "/h/sandbox",
      state: "/u/.local/state/hoga",
      storeUrl: expect.any(Function),
    });
    const elsewhere = { HOGA_HOME: "/h", HOME: "/u", XDG_STATE_HOME: "/s" };
    expect(homeOf(elsewhere, "linux").state).toBe("/s/hoga");
  });

  it("is not made by asking where it is", () => {
    expect(() => statSync(homeOf({ HOGA_HOME: join(dir, "a") }).dir)).toThrow("ENOENT");
  });

  it("is made for its owner alone, with what leads to it, and may be there already", () => {
    const home = homeOf({ HOGA_HOME: join(dir, "a/b") });
    prepareHome(home);
    expect(modeOf(home.dir)).toBe("700");
    prepareHome(home);
    chmodSync(home.dir, 0o755);
    prepareHome(home);
    expect(modeOf(home.dir)).toBe("700");
  });

  it.each(["a file is in the way", "a file is on the way"])(
    "when it cannot be made because %s, the error names the remedy",
    (why) => {
      const file = join(dir, "file");
      writeFileSync(file, "");
      const home = homeOf({ HOGA_HOME: why.includes("in the") ? file : join(file, "below") });
      expect(() => prepareHome(home)).toThrow(ConfigError);
      expect(() => prepareHome(home)).toThrow(`The data directory ${home.dir} cannot be created or used`);
      try {
        prepareHome(home);
      } catch (error) {
        expect((error as ConfigError).fix).toContain("HOGA_HOME");
      }
    },
  );

  it("stays as it is when it holds other files and is open to others", () => {
    chmodSync(dir, 0o755);
    writeFileSync(join(dir, "letter.txt"), "");
    expect(() => prepareHome(homeOf({ HOGA_HOME: dir }))).toThrow("open to other users");
    expect(modeOf(dir)).toBe("755");
  });

  it("when nothing can be written there, the error says so", () => {
    // A kernel file system: not even root makes a directory there.
    expect(() => prepareHome(homeOf({ HOGA_HOME: "/proc/hoga" }))).toThrow("cannot be created or used");
    mkdirSync(join(dir, "kept"));
  });
});

describe("a data directory of another user", () => {
  const asked = () => homeOf({ HOGA_HOME: join(dir, "home") });
  /** Gives what there is to nobody, or makes somebody else of us. */
  const give = (path: string): void => {
    if (process.getuid?.() === 0) lchownSync(path, 1234, 1234);
    else vi.spyOn(process, "geteuid").mockReturnValue((process.geteuid?.() ?? 0) + 1);
  };
  afterEach(() => vi.restoreAllMocks());

  it("is refused before anything is read, with what to do", () => {
    mkdirSync(join(dir, "home"));
    expect(asked().dir).toBe(join(dir, "home"));
    give(join(dir, "home"));
    expect(asked).toThrow(ConfigError);
    expect(asked).toThrow(`The data directory ${join(dir, "home")} belongs to another user of this machine`);
    expect(asked).toThrow(expect.objectContaining({ fix: expect.stringMatching(/sudo -u "#\d+" -H/) }));
  });

  it("is refused behind a link of ours, and one of ours behind a link of another's", () => {
    mkdirSync(join(dir, "theirs"));
    symlinkSync(join(dir, "theirs"), join(dir, "home"));
    expect(asked().dir).toBe(join(dir, "home"));
    give(join(dir, "theirs"));
    expect(asked).toThrow("belongs to another user");
    if (process.getuid?.() !== 0) return;
    chownSync(join(dir, "theirs"), 0, 0);
    expect(asked().dir).toBe(join(dir, "home"));
    give(join(dir, "home"));
    expect(asked).toThrow("belongs to another user");
  });

  it("may be root's", () => {
    mkdirSync(join(dir, "home"));
    if (process.getuid?.() === 0) vi.spyOn(process, "geteuid").mockReturnValue(1234);
    expect(process.getuid?.() === 0 ? asked().dir : homeOf({ HOGA_HOME: "/" }).dir).toMatch(/^\//);
  });

  it("makes no directory ours by the name of a file in it", () => {
    chmodSync(dir, 0o777);
    writeFileSync(join(dir, "config.toml"), "");
    give(join(dir, "config.toml"));
    vi.spyOn(process, "geteuid").mockReturnValue(statSync(dir).uid);
    // Only root can give a file away.
    const refused = (): void => {
      if (process.getuid?.() === 0) prepareHome(homeOf({ HOGA_HOME: dir }));
      else throw new Error("open to other users");
    };
    expect(refused).toThrow("open to other users");
  });
});

describe("a directory", () => {
  it("is made with those above it, and may be there already", () => {
    makeDir(join(dir, "a/b/c"));
    makeDir(join(dir, "a/b/c"));
    expect(modeOf(join(dir, "a/b/c"))).toBe("700");
  });

  it("when it cannot be made, throws the system's reason at once", () => {
    writeFileSync(join(dir, "file"), "");
    expect(() => makeDir(join(dir, "file"))).toThrow("EEXIST");
    expect(() => makeDir(join(dir, "file/below"))).toThrow(/EEXIST|ENOTDIR/);
    expect(() => makeDir("/proc/hoga/deeper")).toThrow("ENOENT");
  });
});
