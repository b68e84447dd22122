/** The id of the sentence that says what the viewer may change. */
export const RIGHTS_ID = 'scope-rights';

/** The attributes of a button that the viewer can see, but not use. */
export const explainDisabled = (canChange: boolean) =>
  canChange ? {} : ({ inactive: true, 'aria-disabled': true, 'aria-describedby': RIGHTS_ID } as const);
