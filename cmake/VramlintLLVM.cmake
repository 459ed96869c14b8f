# Finds LLVM and Clang (any release from 19 on) and says how our targets are
# made: one precompiled header of Clang's own headers serves all layers that see
# Clang (a single one of their files costs 15 s to parse without it).

find_package(LLVM REQUIRED CONFIG
             HINTS /usr/lib/llvm-19/lib/cmake/llvm)
if(LLVM_VERSION_MAJOR LESS 19)
  message(FATAL_ERROR
    "vramlint needs LLVM 19 or newer, found ${LLVM_VERSION} in ${LLVM_DIR}; "
    "pass -DLLVM_DIR=/usr/lib/llvm-19/lib/cmake/llvm")
endif()
find_package(Clang REQUIRED CONFIG
             HINTS "${LLVM_DIR}/../clang" NO_DEFAULT_PATH)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED) # TorchScript archives deflate their code.
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

separate_arguments(VRAMLINT_LLVM_DEFINITIONS NATIVE_COMMAND
                   "${LLVM_DEFINITIONS}")

add_library(vramlint_options INTERFACE)
target_include_directories(vramlint_options INTERFACE "${PROJECT_SOURCE_DIR}"
                           "${PROJECT_BINARY_DIR}")
target_include_directories(vramlint_options SYSTEM INTERFACE
                           ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
target_compile_definitions(vramlint_options INTERFACE
                           ${VRAMLINT_LLVM_DEFINITIONS})
target_compile_options(vramlint_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Xclang=-fno-pch-timestamp>)
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(vramlint_options INTERFACE
                         $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
if(VRAMLINT_SANITIZE)
  target_compile_options(vramlint_options INTERFACE
    -fsanitize=${VRAMLINT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize=vptr,function)
  target_link_options(vramlint_options INTERFACE
                      -fsanitize=${VRAMLINT_SANITIZE})
endif()
find_program(VRAMLINT_LLD NAMES ld.lld-${LLVM_VERSION_MAJOR} ld.lld)
if(VRAMLINT_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(vramlint_options INTERFACE "--ld-path=${VRAMLINT_LLD}")
endif()

# The precompiled header of Clang's headers, made once.
# (CONFIGURE leaves a file alone that is right; else all would be built again.)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/ClangPch.cpp"
     CONTENT "// See VramlintLLVM.cmake.\n")
add_library(vramlint_clang_pch OBJECT "${PROJECT_BINARY_DIR}/ClangPch.cpp")
target_link_libraries(vramlint_clang_pch PRIVATE vramlint_options)
target_precompile_headers(vramlint_clang_pch PRIVATE
  <clang/AST/ASTContext.h> <clang/AST/DeclCXX.h> <clang/AST/DeclTemplate.h>
  <clang/AST/ExprCXX.h> <clang/AST/RecursiveASTVisitor.h>
  <clang/AST/StmtVisitor.h> <clang/ASTMatchers/ASTMatchFinder.h>
  <clang/ASTMatchers/ASTMatchers.h> <clang/Frontend/CompilerInstance.h>
  <clang/Frontend/FrontendActions.h> <clang/Lex/Lexer.h>
  <clang/Lex/Preprocessor.h> <clang/Sema/Sema.h>
  <clang/Tooling/CompilationDatabase.h> <clang/Tooling/Tooling.h>
  <llvm/ADT/StringMap.h> <llvm/Support/VirtualFileSystem.h>
  <llvm/Support/raw_ostream.h> <map> <memory> <optional> <string> <variant>
  <vector>)

# Lets a target use that header. A program is compiled as the header was (-fPIC;
# CMake gives programs -fPIE, with which it cannot be read).
function(vramlint_use_clang_pch Name)
  get_target_property(Type ${Name} TYPE)
  if(Type STREQUAL "EXECUTABLE")
    set_target_properties(${Name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${Name} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${Name} REUSE_FROM vramlint_clang_pch)
endfunction()

# vramlint_add_library(NAME [CLANG] SOURCES… LINK …): one layer. CLANG: it may
# see Clang's AST and uses the precompiled header.
function(vramlint_add_library Name)
  cmake_parse_arguments(ARG "CLANG" "" "SOURCES;LINK" ${ARGN})
  add_library(${Name} STATIC ${ARG_SOURCES})
  target_link_libraries(${Name} PUBLIC vramlint_options ${ARG_LINK})
  if(ARG_CLANG)
    vramlint_use_clang_pch(${Name})
  endif()
endfunction()

# What a program links to use Clang: the static archives where they are there (a
# program starts three times faster than with the shared libraries). Debian's own
# CMake targets would pull in the shared libLLVM beside the static parts, so the
# archives are named directly. clang-tidy's and clangd's own archives are added
# by the hosts that need them.
set(VRAMLINT_CLANG_NAMES
  clangTooling clangToolingCore clangToolingInclusions clangIndex clangFrontend
  clangDriver clangSerialization clangParse clangSema clangAnalysis
  clangASTMatchers clangFormat clangRewrite clangEdit clangAPINotes clangAST
  clangLex clangBasic clangSupport clangInstallAPI)
add_library(vramlint_clang_libs INTERFACE)
find_library(VRAMLINT_CLANG_BASIC NAMES libclangBasic.a
             PATHS "${LLVM_LIBRARY_DIR}" NO_DEFAULT_PATH)
if(VRAMLINT_CLANG_BASIC AND TARGET LLVMSupport)
  set(VRAMLINT_CLANG_ARCHIVES "")
  foreach(Name ${VRAMLINT_CLANG_NAMES})
    if(EXISTS "${LLVM_LIBRARY_DIR}/lib${Name}.a")
      list(APPEND VRAMLINT_CLANG_ARCHIVES "${LLVM_LIBRARY_DIR}/lib${Name}.a")
    endif()
  endforeach()
  llvm_map_components_to_libnames(VRAMLINT_LLVM_LIBS
    support option core targetparser mc mcparser binaryformat bitreader
    bitstreamreader bitwriter frontendopenmp frontendhlsl frontendoffloading
    profiledata windowsdriver remarks demangle analysis ipo)
  list(JOIN VRAMLINT_CLANG_ARCHIVES "," VRAMLINT_CLANG_GROUP)
  target_link_libraries(vramlint_clang_libs INTERFACE
    "$<LINK_GROUP:RESCAN,${VRAMLINT_CLANG_GROUP}>" ${VRAMLINT_LLVM_LIBS})
else()
  target_link_libraries(vramlint_clang_libs INTERFACE clang-cpp LLVM)
endif()
