// The buttons, and what the timer answers.

const answer = document.getElementById("answer");
const buttons = ["storm", "stop", "shutdown"].map((id) => document.getElementById(id));

export function say(text, isOver = false) {
  answer.textContent = text;
  answer.classList.toggle("over", isOver);
  answer.hidden = false;
}

export function enable(isEnabled) {
  for (const button of buttons) button.disabled = !isEnabled;
}

export function listen() {
  for (const button of buttons) button.addEventListener("click", () => press(button));
}

async function press(button) {
  try {
    // The header tells our page from any other that this browser shows.
    const response = await fetch(`/${button.id}`, { method: "POST", headers: { "x-dashboard": "1" } });
    // The shutdown tells every page by itself.
    if (button.id !== "shutdown") say(await response.text());
  } catch {
    say("The program does not answer.");
  }
}
