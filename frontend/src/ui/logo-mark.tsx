interface LogoMarkProps {
  size?: number;
  className?: string;
}

/** The Waybill mark: a W that ends in a check. */
export function LogoMark({ size = 24, className }: LogoMarkProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden className={className}>
      <rect width="24" height="24" rx="6" className="fill-accent" />
      <path
        d="M5 8.6 L8.6 16.2 L11.6 10.6 L14.4 16.2 L19.2 6.6"
        className="stroke-accent-fg"
        strokeWidth="2.3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
