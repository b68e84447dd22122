import { text } from '../../../words/en/release.js';

export function ApprovalsScreen() {
  return <h2>{text.tabs.approvals}</h2>;
}
