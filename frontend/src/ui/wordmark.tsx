import { LogoMark } from './logo-mark';

/** The mark with the name: text 0.83 of the mark's height, gap 0.36 of it. */
export function Wordmark({ name }: { name: string }) {
  return (
    <span className="inline-flex items-center gap-[10px]">
      <LogoMark size={28} />
      <span className="text-[23px] leading-none font-semibold tracking-[-0.022em]">{name}</span>
    </span>
  );
}
