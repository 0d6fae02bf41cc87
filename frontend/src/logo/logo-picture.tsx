import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Wordmark } from '@/ui/wordmark';
import { LOGO_BOUNDS, LOGO_HEIGHT, type LogoMeasures } from './logo-value';

/** The box is as wide as a picture may be; one of full size fills it. */
const WIDTH = LOGO_BOUNDS.size.max;

interface LogoPictureProps {
  measures: LogoMeasures;
  /** Its address. */
  picture: string;
  /** Whose logo it is. */
  name: string;
}

/** The picture on its plate; the mark of the product where it can't be loaded. */
export function LogoPicture({ measures, picture, name }: LogoPictureProps) {
  const { t } = useTranslation('common');
  const { size, vertical } = measures;
  const [broken, setBroken] = useState<string>();
  if (broken === picture) return <Wordmark name={t('appName')} />;
  return (
    <span
      data-logo-box
      className="-ml-1.5 flex items-center rounded-control bg-logo-plate px-1.5"
      style={{ width: WIDTH + 12, height: LOGO_HEIGHT, transform: `translateY(${vertical}px)` }}
    >
      <img
        src={picture}
        alt={name}
        onError={() => setBroken(picture)}
        className="object-contain object-left"
        style={{ width: size, height: (LOGO_HEIGHT * size) / WIDTH }}
      />
    </span>
  );
}
