import { LOGO_BOUNDS, type LogoInformation, type LogoMeasure } from '@/logo/logo-value';

/** The fields of the form; numbers as they are typed. */
export interface LogoValues {
  file: File | null;
  size: string;
  gap: string;
  vertical: string;
}

export const MEASURES: readonly LogoMeasure[] = ['size', 'gap', 'vertical'];

const WHOLE = /^\s*-?\d{1,4}\s*$/;

export function logoValues({ size, gap, vertical }: LogoInformation): LogoValues {
  return { file: null, size: String(size), gap: String(gap), vertical: String(vertical) };
}

/** Rules of the field of a measure: a whole number within its bounds. */
export function measureRules(measure: LogoMeasure) {
  const { min, max } = LOGO_BOUNDS[measure];
  return { required: true, pattern: WHOLE, min, max };
}

/** What was typed, or what is saved while that is no such number. */
export function readMeasures(
  values: Pick<LogoValues, LogoMeasure>,
  saved: Pick<LogoInformation, LogoMeasure>,
): Pick<LogoInformation, LogoMeasure> {
  const read = (measure: LogoMeasure) => {
    const { min, max } = LOGO_BOUNDS[measure];
    const number = WHOLE.test(values[measure]) ? Number(values[measure]) : Number.NaN;
    return number >= min && number <= max ? number : saved[measure];
  };
  return { size: read('size'), gap: read('gap'), vertical: read('vertical') };
}
