import { text } from '../../../words/en/release.js';

export function PolicyScreen() {
  return <h2>{text.tabs.policy}</h2>;
}
