import { expect, test } from "vitest";
import { adviceOn } from "../../../src/context/advice";
import { Refused } from "../../../src/server/refused";

test("a start that is refused because of a run offers to show it, and hands the text back", () => {
  const refused = new Refused("A run is live.", "busy", { code: "busy", session: "ses_1", text: "fix it" });
  expect(adviceOn(refused)).toEqual({
    message: "A run is live.",
    offers: ["showChat"],
    session: "ses_1",
    text: "fix it",
  });
});

test("a model that can't be used leads to the settings", () => {
  expect(adviceOn(new Refused("No key.", "noCredentials")).offers).toContain("openSettings");
});

test("what fails in an unknown way leads to the log", () => {
  expect(adviceOn(new Refused("Broken.", "failed")).offers).toEqual(["showLog"]);
});

test("what needs nothing done offers nothing", () => {
  expect(adviceOn(new Refused("Answered already.", "alreadyAnswered")).offers).toEqual([]);
});
