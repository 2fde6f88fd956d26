/** A command that cannot be carried out: what is wrong and what to do. No stack is shown. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  readonly remedy: string | null;

  constructor(message: string, remedy: string | null = null) {
    super(message);
    this.remedy = remedy;
  }
}
