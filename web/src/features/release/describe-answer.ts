import type { Schema } from '../../api/client.js';
import type { StatusKind } from '../../release-ui/status-label.js';
import { text } from '../../texts/en/release.js';

const SHA_LENGTH = 7;

/** The answer to "may this release be deployed now?" */
interface Answer {
  readonly kind: StatusKind;
  readonly sentence: string;
}

/**
 * Describes the answer in one sentence. `status` is the present readiness, which may have expired since the response of the
 * service.
 */
export function describeAnswer(
  { release, reasons, approvals, policy }: Schema<'ReleaseDetails'>,
  status: Schema<'Readiness'>['status'],
): Answer {
  const { outcome, candidateSha, cancelledAt } = release;
  const { answer } = text;
  if (cancelledAt !== null) return { kind: 'neutral', sentence: answer.cancelled };
  if (outcome === null) return { kind: 'shipped', sentence: answer.shipped };
  if (status === 'pending' || status === 'expired') return { kind: 'stale', sentence: answer[status] };
  if (status === 'unknown') return { kind: 'unknown', sentence: answer.unknown };
  const target = policy.rules?.deployment.target ?? null;
  const answers: Readonly<Record<typeof outcome, Answer>> = {
    blocked: { kind: 'blocked', sentence: answer.blocked(reasons.length) },
    needs_approval: { kind: 'needsApproval', sentence: answer.needs_approval(approvals.given, approvals.required) },
    ready_to_deploy: {
      kind: 'good',
      sentence: answer.ready_to_deploy(candidateSha?.slice(0, SHA_LENGTH) ?? '', target),
    },
    in_progress: { kind: 'running', sentence: answer.in_progress(reasons.length) },
  };
  return answers[outcome];
}
