import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { text } from '../../texts/en/quality.js';
import classes from './quality.module.css';

/** The changes since the last shipped release, the flaky tests, and whether tests were compared. */
export function ScoreChange({ group }: { readonly group: Schema<'ReleaseGroup'> }) {
  const { change, flaky, comparison } = group;
  const compared = text.comparison[comparison];
  return (
    <div className={classes['change']}>
      {change === null ? (
        <p className="quiet">{text.noChange}</p>
      ) : (
        <>
          <h3>
            {text.since} <ReleaseLink id={change.against.milestoneId}>{change.against.version}</ReleaseLink>
          </h3>
          <ul>
            {change.score !== null && <li>{text.scoreChange(change.score)}</li>}
            {change.coverage !== null && <li>{text.coverageChange(change.coverage)}</li>}
            {change.tests && <TestChanges change={change.tests} />}
          </ul>
        </>
      )}
      {flaky !== null && flaky.count > 0 && (
        <Names title={text.flaky(flaky.count, flaky.rate)} count={flaky.count} names={flaky.names} />
      )}
      {compared !== null && (
        <p className="quiet" role={comparison === 'pending' ? 'status' : undefined}>
          {compared}
        </p>
      )}
    </div>
  );
}

function TestChanges({ change: { newFailures, fixedTests, lostTests } }: { readonly change: Schema<'TestChange'> }) {
  if (newFailures.count + fixedTests.count + lostTests.count === 0) return <li>{text.noTestChange}</li>;
  return (
    <>
      {newFailures.count > 0 && (
        <li>
          <Names title={text.newFailures(newFailures.count)} {...newFailures} />
        </li>
      )}
      {fixedTests.count > 0 && (
        <li>
          <Names title={text.fixedTests(fixedTests.count)} {...fixedTests} />
        </li>
      )}
      {lostTests.count > 0 && (
        <li>
          <Names title={text.lostTests(lostTests.count)} {...lostTests} />
        </li>
      )}
    </>
  );
}

/** Tests by name, below their number. */
function Names({
  title,
  count,
  names,
}: {
  readonly title: ReactNode;
  readonly count: number;
  readonly names: readonly string[];
}) {
  return (
    <>
      {title}
      <ul className={classes['names']}>
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
        {count > names.length && <li className="quiet">{text.more(count - names.length)}</li>}
      </ul>
    </>
  );
}
