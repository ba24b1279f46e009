/** A store of a contract test, which closes and opens again on its data. `runs`: number of runs of each property. */
export function reopened<Store extends { close(): Promise<void> }>(
  first: Store,
  start: () => Promise<Store>,
  clear: () => Promise<unknown>,
  runs: number,
) {
  let tables = first;
  return {
    tables,
    reopen: async () => {
      await tables.close();
      tables = await start();
      return tables;
    },
    destroy: async () => {
      await tables.close();
      await clear();
    },
    runs,
  };
}
