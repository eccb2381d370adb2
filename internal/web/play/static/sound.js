// Sounds of the game, which are off until the person turns them on.

import { setText, stored } from "./dom.js";

// Each sound is a list of tones: frequency in Hz, start and length in seconds.
const sounds = {
  move: [[320, 0, 0.06]],
  capture: [[320, 0, 0.05], [210, 0.05, 0.08]],
  check: [[520, 0, 0.06], [660, 0.07, 0.1]],
  end: [[440, 0, 0.12], [330, 0.14, 0.12], [260, 0.28, 0.25]],
};

let on = false;
let audio;

// soundButton makes a button turn the sounds on and off.
export function soundButton(button) {
  const show = () => setText(button, `Sound: ${on ? "on" : "off"}`);
  on = stored("sound") === "on";
  show();
  button.addEventListener("click", () => {
    on = !on;
    stored("sound", on ? "on" : "off");
    show();
    playSound("move");
  });
}

// playSound plays a sound, unless they are off.
export function playSound(name) {
  if (!on) return;
  audio ??= new AudioContext();
  for (const [frequency, start, length] of sounds[name]) {
    const [from, to] = [audio.currentTime + start, audio.currentTime + start + length];
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.2, from);
    volume.gain.exponentialRampToValueAtTime(0.001, to);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(to);
  }
}

// soundOf returns the sound of a move in SAN.
export function soundOf(san) {
  if (/[+#]$/.test(san)) return "check";
  return san.includes("x") ? "capture" : "move";
}
