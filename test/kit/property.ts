import fc from 'fast-check';

/**
 * Histories are drawn by this number, the same ones in each run: whether a change is taken must not depend on which
 * were drawn that day. Another one looks elsewhere: `TEST_SEED=7 npm test`.
 */
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? '1') });

export { fc };
