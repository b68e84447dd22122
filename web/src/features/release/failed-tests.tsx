import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { formatDay } from '../../ui/format-time.js';
import { ExternalLink } from '../../ui/links.js';
import { text } from '../../texts/en/release.js';
import { FAILURES } from './evidence/failures.js';
import { firstLines } from './first-lines.js';
import classes from './release.module.css';

interface FailedTestsProps {
  readonly failed: Schema<'FailedTests'>;
}

/** The first failed tests of an upload: their names, why the first one failed, and since when. */
export function FailedTests({ failed: { count, tests } }: FailedTestsProps) {
  const hidden = count - tests.length;
  return (
    <ul className={classes['tests']} aria-label={text.failedTests.title(count)}>
      {tests.map(({ name, message, history }, at) => (
        <li key={name}>
          <strong>{name}</strong>{' '}
          <span className="quiet">
            <History history={history} />
          </span>
          {at === 0 && message !== null && <pre>{firstLines(message)}</pre>}
        </li>
      ))}
      {hidden > 0 && <li>{tests.length === 0 ? text.failedTests.unnamed(hidden) : text.failedTests.more(hidden)}</li>}
    </ul>
  );
}

/** Links to the CI run of failed tests and to all failures of its upload. */
export function FailedTestsLinks({ failed: { runUrl, evidenceId } }: FailedTestsProps) {
  const params = useParams({ from: '/session/w/$org/releases/$id' });
  return (
    <>
      <ExternalLink href={runUrl}>{runUrl === null ? text.failedTests.noRun : text.failedTests.run}</ExternalLink>
      <Link
        to="/w/$org/releases/$id/evidence/$evidenceId"
        params={{ ...params, evidenceId }}
        hash={FAILURES}
        resetScroll={false}
      >
        {text.failedTests.all}
      </Link>
    </>
  );
}

/** Since when a test has been failing, and where it last passed. What is not known is said to be unknown. */
function History({ history }: { readonly history: Schema<'FailedTestHistory'> | null }) {
  const { failedTests } = text;
  if (history === null) return failedTests.historyUnknown;
  const { failingSince, lastPassedIn } = history;
  const passed = lastPassedIn === null ? failedTests.neverPassed : failedTests.lastPassedIn(lastPassedIn);
  if (failingSince === null) return `${failedTests.failingNow}, ${passed}.`;
  const { day, runUrl } = failingSince;
  const since = failedTests.failingSince(formatDay(day));
  return (
    <>
      {runUrl === null ? since : <ExternalLink href={runUrl}>{since}</ExternalLink>}, {passed}.
    </>
  );
}
