import { Link, useParams } from '@tanstack/react-router';
import { getTraits } from '../../../../src/domain/facts/condition-catalogue.js';
import type { Schema } from '../../api/client.js';
import { useIsAdmin } from '../../api/session.query.js';
import { ConditionList } from '../../release-ui/condition-list.js';
import { OverrideSummary } from '../../release-ui/override-summary.js';
import { text } from '../../texts/en/release.js';
import { FailedTests, FailedTestsLinks } from './failed-tests.js';
import { listOwnActors, sortByActor } from './order-actors.js';
import { ReopenButton } from './reopen-dialog.js';
import { useRelease } from './release.query.js';
import classes from './release.module.css';
import { StartButton } from './start-dialog.js';

/** More conditions are folded, so that the parts of the release stay on the first screen. */
const VISIBLE = 3;

/** The conditions that keep the gate closed, those of the viewer first; the warnings; and the conditions that overrides set aside. */
export function Blockers() {
  const { release, reasons, warnings, overrides, stages, viewer } = useRelease();
  const unknown = new Set(stages.flatMap((stage) => stage.unknown.map(({ code }) => code)));
  const isAdmin = useIsAdmin();
  const own = listOwnActors(viewer, isAdmin);
  const kind = release.outcome === 'blocked' ? 'failed' : 'waiting';
  return (
    <>
      {reasons.length > 0 && (
        <section aria-labelledby="blockers" className={classes['part']}>
          <h2 id="blockers">{text.blockers.title}</h2>
          <ConditionList
            conditions={sortByActor(reasons, own)}
            kind={kind}
            label={text.pipeline.unmet}
            isUnknown={({ code }) => unknown.has(code)}
            own={own}
            visible={VISIBLE}
            renderFacts={({ failedTests }) => failedTests !== null && <FailedTests failed={failedTests} />}
            renderMore={(condition) => <More condition={condition} isAdmin={isAdmin} />}
          />
        </section>
      )}
      {warnings.length > 0 && (
        <section aria-labelledby="warnings" className={classes['part']}>
          <h2 id="warnings">{text.blockers.warnings}</h2>
          <p className="quiet">{text.blockers.warningsHint}</p>
          <ConditionList conditions={warnings} kind="neutral" label={text.blockers.warning} />
        </section>
      )}
      {overrides.length > 0 && (
        <section aria-labelledby="overrides-in-force" className={classes['part']}>
          <h2 id="overrides-in-force">{text.blockers.overrides}</h2>
          <ul className={classes['plain']}>
            {overrides.map((override) => (
              <li key={override.id} className={classes['override']}>
                <OverrideSummary override={override} lead={<p className="quiet">{text.blockers.covers}</p>} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The conditions about artifacts, which are listed below the deployments. */
const ARTIFACT_CODES: ReadonlySet<string> = new Set([
  'artifact_missing',
  'artifact_ambiguous',
  'provenance_missing',
  'provenance_invalid',
]);

/** A link to the facts of a condition, its actions, and for admins whether it can be set aside. */
function More({ condition, isAdmin }: { readonly condition: Schema<'ReleaseCondition'>; readonly isAdmin: boolean }) {
  const { code, override, failedTests } = condition;
  const params = useParams({ from: '/session/w/$org/releases/$id' });
  const part = ARTIFACT_CODES.has(code) ? 'deployments' : getTraits(code).area;
  return (
    <>
      {failedTests !== null && <FailedTestsLinks failed={failedTests} />}
      {part !== null && (
        <Link to={`/w/$org/releases/$id/${part}`} params={params} hash="parts">
          {text.blockers.toParts[part]}
        </Link>
      )}
      {isAdmin && override !== 'none' && (
        <span>
          {text.blockers.overridable[override]}{' '}
          <Link to="/w/$org/releases/$id/overrides" params={params} hash="parts">
            {text.blockers.toOverrides}
          </Link>
        </span>
      )}
      {code === 'not_started' && <StartButton />}
      {code === 'evidence_pull_closed' && <ReopenButton />}
    </>
  );
}
