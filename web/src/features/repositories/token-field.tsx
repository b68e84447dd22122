import { useState } from 'react';
import { ApiError } from '../../api/client.js';
import { TextField } from '../../ui/field.js';
import { text } from '../../texts/en/repositories.js';

/** The purpose of the token. */
type TokenPurpose = keyof typeof text.tokenPurpose;

/**
 * The personal access token that a dialog needs. It exists in the state of the dialog and in the request, and is cleared after
 * each response.
 */
export function useToken() {
  const [token, setToken] = useState('');
  return {
    token,
    setToken,
    /** Sends a request with the token, if there is one, and clears the token afterwards. */
    send: async <Output,>(request: (body: { readonly pat?: string }) => Promise<Output>): Promise<Output> => {
      try {
        return await request(token === '' ? {} : { pat: token });
      } finally {
        setToken('');
      }
    },
  };
}

/** Whether the service answered that it needs a token, or another one. */
export const isTokenMissing = (error: Error | null): boolean =>
  error instanceof ApiError && (error.code === 'pat_required' || error.code === 'pat_rejected');

interface TokenFieldProps {
  readonly purpose: TokenPurpose;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field of a personal access token, with its purpose and its lifetime. */
export function TokenField({ purpose, value, onChange }: TokenFieldProps) {
  return (
    <>
      <p>{text.tokenReason[purpose]}</p>
      <TextField
        label={text.token}
        hint={`${text.tokenPurpose[purpose]} ${text.tokenLife[purpose]}`}
        block
        type="password"
        spellCheck={false}
        value={value}
        onChange={onChange}
      />
    </>
  );
}
