// Names of the engine's levels.

const names = [[2, "beginner"], [5, "casual player"], [8, "club player"], [11, "strong club player"], [14, "expert"], [17, "master"], [19, "grandmaster"], [20, "full strength"]];

// levelName names a level, or a rating.
export const levelName = (level) => {
  if (level >= 400) return `about ${level} on Lichess`;
  return level < 0 || level > 20 ? "no such level" : `level ${level} (${names.find(([highest]) => level <= highest)[1]})`;
};
