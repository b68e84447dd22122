import { Heading } from '@primer/react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { toDay, daysUntil, formatDays, formatLocalSpan } from '../../release-ui/freeze-days.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { TextField } from '../../ui/field.js';
import { useNow } from '../../ui/relative-time.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/freezes.js';
import { FREEZE_CHANGES } from './freeze-changes.js';

const MAX_REASON_LENGTH = 500;
const MAX_NAMED = 10;

/** The releases that can be deployed now, of the repositories that the user can read. */
const openGatesQuery = queryOptions({
  queryKey: ['releases', 'open'],
  queryFn: ({ signal }) =>
    readBody(
      api.GET('/api/dashboard', {
        params: { query: { outcome: 'ready_to_deploy', page: 1, pageSize: MAX_NAMED } },
        signal,
      }),
    ),
  placeholderData: keepPreviousData,
  staleTime: 0,
});

/** The form of a new freeze. It names the gates that the freeze closes at once. */
export function CreateFreezeDialog({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState<Schema<'CreateFreeze'>>({ from: '', to: '', reason: '' });
  const action = useAction({
    run: (body: Schema<'CreateFreeze'>) => readBody(api.POST('/api/freezes', { body })),
    changes: FREEZE_CHANGES,
    done: () => text.created,
    undo:
      ({ id }) =>
      () =>
        readBody(api.DELETE('/api/freezes/{id}', { params: { path: { id } } })),
    onDone: onClose,
  });
  const change = (part: Partial<Schema<'CreateFreeze'>>): void => {
    action.reset();
    setDraft({ ...draft, ...part });
  };
  const today = toDay(useNow());
  const hasDays = draft.from !== '' && draft.to !== '' && draft.from <= draft.to;
  return (
    <ActionDialog
      title={text.createTitle}
      confirm={text.createConfirm}
      isDangerous
      canConfirm={draft.from !== '' && draft.to !== '' && draft.reason.trim() !== ''}
      action={action}
      onConfirm={() => action.start(draft)}
      onClose={onClose}
    >
      <TextField
        label={text.from}
        hint={text.fromHint}
        type="date"
        min={today}
        value={draft.from}
        onChange={(value) => change({ from: value })}
      />
      <TextField
        label={text.to}
        hint={text.toHint}
        type="date"
        min={draft.from || today}
        value={draft.to}
        onChange={(value) => change({ to: value })}
      />
      {hasDays && (
        <p className="quiet">
          {formatDays(draft)} (UTC). {text.local(formatLocalSpan(draft))}
        </p>
      )}
      <TextField
        label={text.reason}
        hint={text.reasonHint}
        block
        maxLength={MAX_REASON_LENGTH}
        value={draft.reason}
        onChange={(value) => change({ reason: value })}
      />
      {hasDays && <Effect days={draft} />}
    </ActionDialog>
  );
}

/** The immediate effect of a freeze on these days. */
function Effect({ days }: { readonly days: Pick<Schema<'Freeze'>, 'from' | 'to'> }) {
  const query = useQuery(openGatesQuery);
  const isNow = daysUntil(days, useNow()) === 0;
  const { releases = [], pagination } = query.data ?? {};
  const total = pagination?.total ?? releases.length;
  return (
    <section aria-labelledby="freeze-effect">
      <Heading as="h2" variant="small" id="freeze-effect">
        {text.effect}
      </Heading>
      {!isNow && <p>{text.effectFuture}</p>}
      {isNow && query.error && <p>{text.effectFailed}</p>}
      {isNow && query.data && (
        <>
          <p>{text.effectNow(total)}</p>
          <ul>
            {releases.map(({ milestoneId, repo, version }) => (
              <li key={milestoneId}>
                {repo} {version}
              </li>
            ))}
            {total > releases.length && <li>{text.effectMore(total - releases.length)}</li>}
          </ul>
        </>
      )}
      <p>{text.effectShipped}</p>
    </section>
  );
}
