import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, readBody, type Schema } from '../../api/client.js';
import { CopyButton } from '../../ui/copy-button.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts, ScreenHead } from '../../ui/screen.js';
import { Section } from '../../ui/section.js';
import { StalePart } from '../../ui/states.js';
import { formatBytes } from '../../texts/en/bytes.js';
import { formatNumber } from '../../texts/en/counted.js';
import { text } from '../../texts/en/diagnostics.js';

const diagnosticsQuery = queryOptions({
  queryKey: ['diagnostics'],
  queryFn: ({ signal }) => readBody(api.GET('/api/debug', { signal })),
});

const INDENT = 2;

/** The state of the service as an admin sees it, and the same as text to copy. */
export function DiagnosticsScreen() {
  const query = useQuery(diagnosticsQuery);
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        {query.data && <CopyButton text={JSON.stringify(query.data, null, INDENT)} />}
      </ScreenHead>
      <p>{text.lead}</p>
      <QueryRegion query={query} failed={text.failed}>
        {(diagnostics, isStale) => (
          <StalePart isStale={isStale}>
            <Details {...diagnostics} />
          </StalePart>
        )}
      </QueryRegion>
    </>
  );
}

function Details({
  versions,
  database,
  queue,
  codeHost,
  freshness,
  storage,
  untrustedForwarderAt,
}: Schema<'Diagnostics'>) {
  const { rowLevelSecurity, pendingMigrations } = database;
  return (
    <>
      <Section title={text.versions}>
        <Facts
          entries={[
            [text.service, versions.service],
            [text.node, versions.node],
            [text.postgres, versions.postgres],
          ]}
        />
      </Section>
      <Section title={text.database}>
        <Facts
          entries={[
            [text.role, database.role],
            [text.rowLevelSecurity, rowLevelSecurity.holds ? text.yes : text.no],
            [text.problems, list(rowLevelSecurity.problems)],
            [text.pendingMigrations, list(pendingMigrations) ?? text.none],
          ]}
        />
      </Section>
      <Section title={text.github}>
        <Facts entries={[[text.installed, codeHost.installed ? text.yes : text.no]]} />
      </Section>
      {codeHost.budgets.map((budget) => (
        <Budget key={budget.name} {...budget} />
      ))}
      <Section title={text.queue}>
        <Facts
          entries={[
            [text.running, formatNumber(queue.running)],
            [text.due, formatNumber(queue.due)],
            [text.later, formatNumber(queue.later)],
            [text.givenUp, formatNumber(queue.givenUp)],
          ]}
        />
      </Section>
      <Section title={text.freshness}>
        <Facts
          entries={[
            [text.repositories, formatNumber(freshness.repositories)],
            [text.newest, <Time key="newest" date={freshness.newestObservationAt} />],
            [text.oldest, <Time key="oldest" date={freshness.oldestObservationAt} />],
          ]}
        />
      </Section>
      <Section title={text.storage}>
        <Facts
          entries={[
            [text.used, formatBytes(storage.used)],
            [text.limit, storage.limit === null ? text.none : formatBytes(storage.limit)],
          ]}
        />
      </Section>
      <Section title={text.network}>
        <Facts entries={[[text.forwarder, <Time key="forwarder" date={untrustedForwarderAt} />]]} />
        {untrustedForwarderAt !== null && <p>{text.forwarderHint}</p>}
      </Section>
    </>
  );
}

function Budget({
  name,
  limit,
  remaining,
  resetAt,
  waiting,
  brokenAddresses,
  circuit,
  closedUntil,
}: Schema<'DiagnosticsBudget'>) {
  const isReported = limit !== null && remaining !== null;
  return (
    <Section title={text.budgets[name]}>
      <Facts
        entries={[
          [
            text.remaining,
            isReported ? text.remainingOf(formatNumber(remaining), formatNumber(limit)) : text.notReported,
          ],
          [text.resets, resetAt === null ? null : <RelativeTime key="reset" date={resetAt} />],
          [text.waiting, formatNumber(waiting)],
          [text.brokenAddresses, formatNumber(brokenAddresses)],
          [text.circuit, text.circuits[circuit.state]],
          [text.pausedUntil, closedUntil === null ? null : <RelativeTime key="paused" date={closedUntil} />],
        ]}
      />
    </Section>
  );
}

const Time = ({ date }: { readonly date: string | null }) =>
  date === null ? text.never : <RelativeTime date={date} />;

const list = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(', '));
