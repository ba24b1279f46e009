/** Where adapters say what operators must know; pino fits. */
export interface TransportLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
