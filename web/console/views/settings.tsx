/** What a person sets for this browser, the passkeys, and what this page looks at. */
import { Choice } from "../parts/choice.tsx";
import { useConsole } from "../state/console.ts";
import { Passkeys } from "./passkeys.tsx";

export function SettingsView() {
  const { words, preferences, prefer, session, account, write, stream, isCutOff } = useConsole();
  const { say } = words.value;
  const { theme, language } = preferences.value;
  const { version, profile, exchange_url, timezone } = session.value;
  return (
    <>
      <h1>{say("nav.settings")}</h1>
      <section class="panel preferences">
        <h2>{say("settings.page")}</h2>
        <div class="preference">
          <span>{say("settings.theme")}</span>
          <Choice
            label={say("settings.theme")}
            choices={[
              ["auto", say("settings.auto")],
              ["light", say("settings.light")],
              ["dark", say("settings.dark")],
            ]}
            chosen={theme}
            onChoose={(chosen) => prefer({ theme: chosen })}
          />
        </div>
        <div class="preference">
          <span>{say("settings.language")}</span>
          <Choice
            label={say("settings.language")}
            choices={[
              ["auto", say("settings.language_auto")],
              ["ko", "한국어"],
              ["en", "English"],
            ]}
            chosen={language}
            onChoose={(chosen) => prefer({ language: chosen })}
          />
        </div>
        <Notifying />
      </section>
      <Passkeys />
      <section class="panel">
        <h2>{say("settings.facts")}</h2>
        <dl class="facts grid">
          {[
            ["hoga", version],
            [say("settings.profile"), profile],
            [say("settings.account"), account.value],
            [say("settings.exchange"), exchange_url],
            [say("settings.timezone"), timezone],
          ].map(([head, shown]) => (
            // An address is one word.
            <div key={head} class={shown === exchange_url ? "twice" : ""}>
              <dt>{head}</dt>
              <dd>{shown}</dd>
            </div>
          ))}
        </dl>
        <p>
          <a href="#/assistants">{say("settings.connect")}</a>
        </p>
        <button
          type="button"
          disabled={isCutOff.value}
          onClick={() => void write("sign-out", {}).then((done) => done.ok && stream.end())}
        >
          {say("settings.sign_out")}
        </button>
      </section>
    </>
  );
}

/** The browser is asked only when a person wants it. */
function Notifying() {
  const { words, preferences, prefer } = useConsole();
  const { say } = words.value;
  const isRefused = "Notification" in window && Notification.permission === "denied";
  const change = async (wanted: boolean): Promise<void> => {
    if (!wanted) return prefer({ notify: false });
    prefer({ notify: (await Notification.requestPermission()) === "granted" });
  };
  return (
    <label class="preference">
      <span>
        {say("settings.notify")}
        <span class="hint"> {say(isRefused ? "settings.notify_refused" : "settings.notify_more")}</span>
      </span>
      <input
        type="checkbox"
        class="switch"
        checked={preferences.value.notify}
        disabled={!("Notification" in window) || isRefused}
        onChange={({ currentTarget }) => void change(currentTarget.checked)}
      />
    </label>
  );
}
