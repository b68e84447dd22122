import { Textarea } from '@primer/react';
import { useState } from 'react';
import { ApiError } from '../../api/client.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { Field, TextField } from '../../ui/field.js';
import { text } from '../../texts/en/projects.js';
import type { ProjectDetails } from './project-details.js';

const EMPTY: ProjectDetails = { name: '', description: null, targetDate: null };

interface ProjectDialogProps {
  readonly title: string;
  readonly confirm: string;
  readonly details?: ProjectDetails;
  readonly action: {
    readonly start: (details: ProjectDetails) => void;
    readonly isRunning: boolean;
    readonly error: Error | null;
  };
  readonly onClose: () => void;
}

/** The details of a new or an existing project. A name that another project has is an error of its field. */
export function ProjectDialog({ title, confirm, details = EMPTY, action, onClose }: ProjectDialogProps) {
  const [name, setName] = useState(details.name);
  const [description, setDescription] = useState(details.description ?? '');
  const [targetDate, setTargetDate] = useState(details.targetDate ?? '');
  const { error } = action;
  const isNameTaken = error instanceof ApiError && error.code === 'name_taken';
  return (
    <ActionDialog
      title={title}
      confirm={confirm}
      canConfirm={name.trim() !== ''}
      action={{ isRunning: action.isRunning, error: isNameTaken ? null : error }}
      onConfirm={() =>
        action.start({ name: name.trim(), description: description.trim() || null, targetDate: targetDate || null })
      }
      onClose={onClose}
    >
      <TextField
        label={text.name}
        error={isNameTaken ? error.message : undefined}
        block
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <Field label={text.description} isOptional>
        {(attributes) => (
          <Textarea
            {...attributes}
            block
            rows={4}
            maxLength={2_000}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
      <TextField
        label={text.targetDate}
        hint={text.targetHint}
        isOptional
        type="date"
        value={targetDate}
        onChange={setTargetDate}
      />
    </ActionDialog>
  );
}
