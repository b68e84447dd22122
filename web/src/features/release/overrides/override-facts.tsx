import type { Schema } from '../../../api/client.js';
import { formatExact } from '../../../ui/format-time.js';
import { Sha } from '../../../ui/links.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { Facts } from '../../../ui/screen.js';
import { text } from '../../../texts/en/overrides.js';
import { Sentences } from '../sentences.js';
import type { Override } from './overrides.query.js';
import { Subjects } from './subjects.js';

interface OverrideFactsProps {
  readonly override: Override;
  readonly release: Schema<'Release'>;
}

/** The facts of an override: the conditions, the commit, the reason, the users, and the end. */
export function OverrideFacts({ override, release }: OverrideFactsProps) {
  const { kind, sha, details, subjects, reason, requestedAt, requestedBy, confirmedBy, expiresAt } = override;
  const { candidateSha, candidateUrl } = release;
  const isCandidate = sha === candidateSha;
  const end = kind === 'break_glass' && confirmedBy === null ? text.facts.confirmUntil : text.facts.end;
  return (
    <Facts
      entries={[
        [text.facts.covers, details && <Sentences key="covers" items={details} />],
        [text.facts.subjects, subjects && <Subjects key="subjects" items={subjects} />],
        [
          text.facts.commit,
          <>
            <Sha sha={sha} href={isCandidate ? candidateUrl : null} />
            {!isCandidate && candidateSha !== null && (
              <span className="quiet">
                {' '}
                {text.otherCandidate} <Sha sha={candidateSha} href={candidateUrl} />
              </span>
            )}
          </>,
        ],
        [text.facts.reason, reason],
        [
          text.facts.requested,
          <>
            {text.requestedBy(requestedBy)}, <RelativeTime date={requestedAt} />
          </>,
        ],
        [text.facts.confirmed, confirmedBy && text.requestedBy(confirmedBy)],
        [
          end,
          <>
            {formatExact(Date.parse(expiresAt))}{' '}
            <span className="quiet">
              (<RelativeTime date={expiresAt} />)
            </span>
          </>,
        ],
      ]}
    />
  );
}
