/* A preload: the machine's clock is wrong by SHIFT_CLOCK_MS. What other processes see stays right. */
const by = Number(process.env.SHIFT_CLOCK_MS);
const Real = Date;

globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + by);
    else super(...given);
  }
  static now() {
    return Real.now() + by;
  }
};
