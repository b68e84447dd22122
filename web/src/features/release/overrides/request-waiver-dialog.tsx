import { getTraits } from '../../../../../src/domain/facts/condition-catalogue.js';
import { Select } from '@primer/react';
import { useState } from 'react';
import { serverNow } from '../../../api/server-clock.js';
import { api, readBody, type Schema } from '../../../api/client.js';
import { ActionDialog } from '../../../ui/action-dialog.js';
import { Field, TextField } from '../../../ui/field.js';
import { Sha } from '../../../ui/links.js';
import { useAction } from '../../../ui/use-action.js';
import { text } from '../../../texts/en/overrides.js';
import { Sentences } from '../sentences.js';
import type { WaivableGroup } from './coverage.js';
import { overrideChanges, withdrawOverride } from './overrides.query.js';
import classes from './overrides.module.css';
import { ReasonField } from './reason-field.js';
import { Subjects } from './subjects.js';
import { findEnd, WAIVER_ENDS, type WaiverEnd } from './waiver-end.js';

interface RequestWaiverDialogProps {
  readonly release: Schema<'Release'>;
  /** The conditions that can be waived, at least one group. */
  readonly groups: readonly WaivableGroup[];
  readonly onClose: () => void;
}

/** The form of a waiver: what exactly it covers, why, and until when. */
export function RequestWaiverDialog({ release, groups, onClose }: RequestWaiverDialogProps) {
  const { milestoneId: id, candidateSha, candidateUrl } = release;
  const [condition, setCondition] = useState(groups.length === 1 ? groups[0]?.code : undefined);
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState<WaiverEnd>('day');
  const [ownEnd, setOwnEnd] = useState('');
  const action = useAction({
    run: (body: Schema<'CreateWaiver'>) =>
      readBody(api.POST('/api/milestones/{id}/waivers', { params: { path: { id } }, body })),
    changes: overrideChanges(id),
    done: () => text.waiverRequested,
    undo: (waiver) => () => withdrawOverride(id, { kind: 'waiver', id: waiver.id }),
    onDone: onClose,
  });
  const start = (): void => {
    const expiresAt = findEnd(end, ownEnd, serverNow());
    const group = groups.find(({ code }) => code === condition);
    if (group === undefined || expiresAt === null) return;
    action.start({ condition: group.code as Schema<'CreateWaiver'>['condition'], reason, expiresAt });
  };
  const isComplete =
    groups.some(({ code }) => code === condition) && reason.trim() !== '' && (end !== 'own' || ownEnd !== '');
  return (
    <ActionDialog
      title={text.requestWaiverTitle}
      confirm={text.requestWaiverConfirm}
      canConfirm={isComplete}
      action={action}
      onConfirm={start}
      onClose={onClose}
    >
      <fieldset className={classes['choices']}>
        <legend>{text.choose}</legend>
        {groups.map(({ code, details, subjects }) => (
          <label key={code}>
            <input
              type="radio"
              name="condition"
              value={code}
              checked={code === condition}
              onChange={() => setCondition(code)}
            />
            <span>
              <strong>{getTraits(code).title}</strong>
              <Sentences items={details} />
              <p className="quiet">{text.onlySubjects}</p>
              <Subjects items={subjects} />
            </span>
          </label>
        ))}
      </fieldset>
      <p className="quiet">
        {text.covered} {candidateSha !== null && <Sha sha={candidateSha} href={candidateUrl} />}
      </p>
      <ReasonField value={reason} onChange={setReason} />
      <Field label={text.end} hint={text.endHint}>
        {(attributes) => (
          <Select
            {...attributes}
            value={end}
            onChange={({ target }) => setEnd(WAIVER_ENDS.find((choice) => choice === target.value) ?? 'day')}
          >
            {WAIVER_ENDS.map((choice) => (
              <Select.Option key={choice} value={choice}>
                {text.endChoices[choice]}
              </Select.Option>
            ))}
          </Select>
        )}
      </Field>
      {end === 'own' && (
        <TextField
          label={text.ownEnd}
          hint={text.ownEndHint}
          type="datetime-local"
          value={ownEnd}
          onChange={setOwnEnd}
        />
      )}
      <p>{text.waiverSecond}</p>
    </ActionDialog>
  );
}
