import type { Schema } from '../../api/client.js';
import type { StatusLook } from '../../release-ui/status-label.js';
import { text } from '../../words/en/release.js';

const SHA_LENGTH = 7;

/** The answer to "may this release be deployed now?" */
interface Answer {
  readonly look: StatusLook;
  readonly sentence: string;
}

/** Says the answer in one sentence. `status` is the readiness at this moment, which may be over earlier than the service said it. */
export function describeAnswer(
  { release, reasons, approvals, policy }: Schema<'ReleaseDetails'>,
  status: Schema<'Readiness'>['status'],
): Answer {
  const { outcome, candidateSha, cancelledAt } = release;
  const { answer } = text;
  if (cancelledAt !== null) return { look: 'neutral', sentence: answer.cancelled };
  if (outcome === null) return { look: 'shipped', sentence: answer.shipped };
  if (status === 'pending' || status === 'expired') return { look: 'stale', sentence: answer[status] };
  if (status === 'unknown') return { look: 'unknown', sentence: answer.unknown };
  const target = policy.rules?.deployment.target ?? null;
  const answers: Readonly<Record<typeof outcome, Answer>> = {
    blocked: { look: 'blocked', sentence: answer.blocked(reasons.length) },
    needs_approval: { look: 'needsApproval', sentence: answer.needs_approval(approvals.given, approvals.required) },
    ready_to_deploy: {
      look: 'good',
      sentence: answer.ready_to_deploy(candidateSha?.slice(0, SHA_LENGTH) ?? '', target),
    },
    in_progress: { look: 'running', sentence: answer.in_progress(reasons.length) },
  };
  return answers[outcome];
}
