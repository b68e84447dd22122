import { text } from '../../../words/en/release.js';

export function ChecksScreen() {
  return <h2>{text.tabs.checks}</h2>;
}
