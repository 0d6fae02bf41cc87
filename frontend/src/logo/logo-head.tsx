import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PoweredBy } from '@/ui/powered-by';
import { Wordmark } from '@/ui/wordmark';
import { LOGO_BOUNDS, type LogoInformation } from './logo-value';

/** The box is as wide as a picture may be; one of full size fills it. */
const BOX_WIDTH = LOGO_BOUNDS.size.max;
const BOX_HEIGHT = 40;

interface LogoHeadProps {
  measures: Pick<LogoInformation, 'size' | 'gap' | 'vertical'>;
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
  const { t } = useTranslation('common');
  const { size, gap, vertical } = measures;
  const [broken, setBroken] = useState<string>();
  return (
    <div style={{ height: BOX_HEIGHT + LOGO_BOUNDS.gap.max + 16 }}>
      <div className="flex items-center" style={{ height: BOX_HEIGHT }}>
        {picture === undefined && children}
        {picture !== undefined &&
          (broken === picture ? (
            <Wordmark name={t('appName')} />
          ) : (
            <span
              data-logo-box
              className="-ml-1.5 flex items-center rounded-control bg-logo-plate px-1.5"
              style={{
                width: BOX_WIDTH + 12,
                height: BOX_HEIGHT,
                transform: `translateY(${vertical}px)`,
              }}
            >
              <img
                src={picture}
                alt={name}
                onError={() => setBroken(picture)}
                className="object-contain object-left"
                style={{ width: size, height: (BOX_HEIGHT * size) / BOX_WIDTH }}
              />
            </span>
          ))}
      </div>
      <div style={{ marginTop: gap }}>
        <PoweredBy />
      </div>
    </div>
  );
}
