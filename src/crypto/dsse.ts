/** A signed payload (DSSE, envelope 1.0). */
export interface DsseEnvelope {
  readonly payloadType: string;
  /** The payload in base64. */
  readonly payload: string;
  readonly signatures: readonly DsseSignature[];
}

export interface DsseSignature {
  /** A hint that is not signed. It must not decide anything. */
  readonly keyid: string;
  /** The signature in base64. */
  readonly sig: string;
}

/** Returns the bytes that are signed: both values with their lengths in bytes, so that no other pair has the same bytes (DSSE, PAE). */
export function encodeForSignature(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType, 'utf8');
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    Buffer.from(payload),
  ]);
}
