import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Facts, ScreenHead } from '../../ui/screen.js';
import { Section } from '../../ui/section.js';
import { EmptyState } from '../../ui/states.js';
import { Table } from '../../ui/table.js';
import { text } from '../../texts/en/audit.js';
import { auditQuery } from './audit.query.js';
import classes from './audit.module.css';

type Entry = Schema<'AuditEntry'>;
type HiddenEntry = Schema<'HiddenAuditEntry'>;

/** Who did what in the workspace, with the hashes that protect the log. */
export function AuditScreen() {
  const search = useSearch({ from: '/session/w/$org/settings/audit' });
  const query = useQuery(auditQuery(search));
  const { pagination, workspace } = query.data ?? {};
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title}>
        <output>{pagination && text.count(pagination.total)}</output>
      </ScreenHead>
      <QueryRegion query={query} failed={text.failed}>
        {({ entries }, isStale) =>
          entries.length > 0 ? (
            <>
              <Table caption={text.caption} columns={Object.values(text.columns)} isStale={isStale}>
                {entries.map((entry) =>
                  'hidden' in entry ? (
                    <HiddenRow key={entry.sequence} entry={entry} />
                  ) : (
                    <EntryRow key={entry.sequence} entry={entry} />
                  ),
                )}
              </Table>
              <Pager pagination={pagination} />
            </>
          ) : (
            <EmptyState title={text.none} />
          )
        }
      </QueryRegion>
      <Section title={text.verifyTitle}>
        <p>
          {text.verify} <code>npm run audit:verify</code>.
        </p>
        {workspace !== undefined && (
          <p>
            {text.verifyWorkspace} <code>{workspace}</code>
          </p>
        )}
      </Section>
    </>
  );
}

function EntryRow({ entry }: { readonly entry: Entry }) {
  const { sequence, action, subject, actor, at, data, hash, previousHash } = entry;
  return (
    <tr>
      <th scope="row">
        {text.actions[action](subject)}
        <div className="quiet">
          {text.number(sequence)} <code>{action}</code>
        </div>
      </th>
      <td>{actor.login ?? text.service}</td>
      <td>
        <RelativeTime date={at} />
      </td>
      <td>
        <Details sequence={sequence}>
          <Facts
            entries={[
              ...Object.entries(data).map(([name, value]) => [name, formatValue(value)] as const),
              [text.hash, <code key="hash">{hash}</code>],
              [text.previousHash, <code key="before">{previousHash}</code>],
            ]}
          />
        </Details>
      </td>
    </tr>
  );
}

/** An entry about a repository that the user cannot read: only its place in the chain. */
function HiddenRow({ entry: { sequence, hash, previousHash } }: { readonly entry: HiddenEntry }) {
  return (
    <tr>
      <th scope="row">
        <span className="quiet">{text.number(sequence)}</span>
      </th>
      <td colSpan={2}>{text.hidden}</td>
      <td>
        <Details sequence={sequence}>
          <Facts
            entries={[
              [text.hash, <code key="hash">{hash}</code>],
              [text.previousHash, <code key="before">{previousHash}</code>],
            ]}
          />
        </Details>
      </td>
    </tr>
  );
}

function Details({ sequence, children }: { readonly sequence: number; readonly children: ReactNode }) {
  return (
    <details className={classes['details']}>
      <summary aria-label={text.detailsOf(sequence)}>{text.details}</summary>
      {children}
    </details>
  );
}

/** A value of an entry as text. */
const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
