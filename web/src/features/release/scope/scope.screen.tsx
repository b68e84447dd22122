import { text } from '../../../words/en/release.js';

export function ScopeScreen() {
  return <h2>{text.tabs.scope}</h2>;
}
