import type { ReactNode } from 'react';
import { PoweredBy } from '@/ui/powered-by';
import { LogoPicture } from './logo-picture';
import { LOGO_BOUNDS, LOGO_HEIGHT, type LogoMeasures } from './logo-value';

interface LogoHeadProps {
  measures: LogoMeasures;
  /** Address of the picture. */
  picture: string | undefined;
  /** Whose logo it is. */
  name: string;
  /** In the place of a picture while there is none. */
  children?: ReactNode;
}

/**
 * The customer's logo with what it is powered by. Its height is that of the widest gap, so that
 * nothing below it moves when the logo arrives.
 */
export function LogoHead({ measures, picture, name, children }: LogoHeadProps) {
  const { gap } = measures;
  return (
    <div style={{ height: LOGO_HEIGHT + LOGO_BOUNDS.gap.max + 16 }}>
      <div className="flex items-center" style={{ height: LOGO_HEIGHT }}>
        {picture === undefined && children}
        {picture !== undefined && <LogoPicture measures={measures} picture={picture} name={name} />}
      </div>
      <div style={{ marginTop: gap }}>
        <PoweredBy />
      </div>
    </div>
  );
}
