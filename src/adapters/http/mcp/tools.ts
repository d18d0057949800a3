/** The tools for agents: few, each the shortest way to an answer that people ask for. */
import { diffTool } from "./diffTool.ts"
import { holdingTools } from "./holdingTools.ts"
import { tokenTools } from "./tokenTools.ts"
import type { Tool } from "./tool.ts"
import { transferTool } from "./transferTool.ts"

export const tools: ReadonlyArray<Tool> = [...tokenTools, ...holdingTools, diffTool, transferTool]
